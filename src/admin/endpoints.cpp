#include "headgate/admin/endpoints.hpp"

#include "admin/limits/key_reader.hpp"
#include "admin/limits/key_use.hpp"
#include "endpoint_groups.hpp"

#include "headgate/observe/families/upstreams.hpp"

#include <utility>

namespace headgate::admin {

namespace {

/// The calls whose answers make up the state that the dashboard gets. Keys and routes beyond these counts are left out,
/// and the answer gives their number.
std::vector<LiveFeed::Part> parts_of_a_look() {
  return {{"status", "/api/v1/status"},           {"traffic", "/api/v1/traffic", "?n=100"},
          {"history", "/api/v1/traffic/history"}, {"limits", "/api/v1/limits"},
          {"top", "/api/v1/top", "?n=10"},        {"bans", "/api/v1/bans"},
          {"overrides", "/api/v1/overrides"},     {"rooms", "/api/v1/rooms"},
          {"servers", "/api/v1/servers"},         {"diff", "/api/v1/candidate/diff"}};
}

}  // namespace

std::vector<AdminEndpoint> endpoints_of(const Subjects& s) {
  auto& operators = s.operators;
  const auto& bans = s.bans->table();
  const auto keys = std::make_shared<const KeyReader>(s.top->board(), bans, s.overrides->book(), s.logs);
  const auto use = std::make_shared<const KeyUse>(operators, s.memory, s.top->board(), s.with_redis);
  auto out = ban_endpoints(s.bans, keys, use);
  const auto add = [&out](std::vector<AdminEndpoint> more) {
    for (auto& each : more) out.push_back(std::move(each));
  };
  out.push_back(status_endpoint(s.board, s.reasons, s.fleet, operators, s.logs, s.rates));
  add(config_endpoints(operators, s.aside, s.read_again));
  out.push_back(reload_endpoint(s.reloads));
  add(candidate_endpoints(operators, s.candidate, s.logs));
  add(limits_endpoints(operators, s.registry, s.memory));
  add(key_endpoints(operators, s.memory, bans, keys, s.with_redis));
  add(balance_endpoints(operators, keys, s.with_redis));
  add({forget_endpoint(operators, s.memory, s.with_redis)});
  add(override_endpoints(operators, s.overrides, keys, use));
  add(api_key_endpoints(operators, s.keys));
  out.push_back(routes_endpoint(operators));
  add(top_endpoints(s.top, s.logs));
  add(usage_endpoints(operators, s.billing, keys));
  out.push_back(servers_endpoint(
      [&board = s.board] { return board.upstreams(); },
      [&operators, &flights = s.flights, &registry = s.registry](const std::string& upstream) {
        const auto active = operators.now().active;
        return active ? queues_of(*active->compiled, upstream, flights, registry) : std::vector<QueueUse>();
      },
      [&registry = s.registry](const std::string& upstream) {
        constexpr std::size_t kReasonLabel = 1;
        return registry.sums(observe::family::retries, {upstream}, kReasonLabel);
      }));
  out.push_back(traffic_endpoint(s.rates, operators));
  out.push_back(history_endpoint(s.rates));
  out.push_back(rooms_endpoint(operators, s.registry));
  out.push_back(bounds_endpoint(s.bounds));
  out.push_back(certificates_endpoint(operators, s.certificates));
  add(operate_endpoints(operators, s.board, s.logs, s.drain, s.tell_state, s.tell_size));
  add(connection_endpoints(s.connections, operators, s.logs));
  out.push_back(refused_endpoint(s.refused));
  out.push_back(events_endpoint(s.events));
  out.push_back(last_events_endpoint(s.events));
  out.push_back(explain_endpoint(s.explain, s.reasons));
  s.live.use(parts_of_a_look(), out, [&events = s.events] { return events.last(); });
  out.push_back(live_endpoint(s.live));
  out.push_back(role_endpoint());
  out.push_back(simulate_endpoint(s.simulate));
  add(page_endpoints());
  return out;
}

}  // namespace headgate::admin
