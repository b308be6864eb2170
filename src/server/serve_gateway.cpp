#include "headgate/server/serve_gateway.hpp"

#include "server/admin/config_endpoints.hpp"
#include "server/admin/event_feed.hpp"
#include "server/admin/limits/ban_endpoints.hpp"
#include "server/admin/limits/forget_endpoint.hpp"
#include "server/admin/limits/key_endpoints.hpp"
#include "server/admin/limits/limits_endpoints.hpp"
#include "server/admin/limits/override_endpoints.hpp"
#include "server/admin/looks/bounds_endpoint.hpp"
#include "server/admin/looks/certificates_endpoint.hpp"
#include "server/admin/looks/connection_endpoints.hpp"
#include "server/admin/looks/servers_endpoint.hpp"
#include "server/admin/looks/traffic_endpoint.hpp"
#include "server/admin/operate_endpoints.hpp"
#include "server/admin/reload_endpoint.hpp"
#include "server/admin/status_endpoint.hpp"
#include "server/config/gateway_program.hpp"
#include "server/services/top_service.hpp"
#include "server/upgrade/handover.hpp"
#include "server/upgrade/passed_sockets.hpp"
#include "server/watch/collect.hpp"
#include "server/watch/gateway_bounds.hpp"
#include "server/watch/upstream_queues.hpp"
#include "side_thread.hpp"
#include "stray_signals.hpp"

#include "headgate/net/loop_clock.hpp"
#include "headgate/redis/fingerprints.hpp"
#include "headgate/redis/ledger.hpp"
#include "headgate/redis/notice_marks.hpp"
#include "headgate/redis/shared_log.hpp"
#include "headgate/server/admin.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace headgate::server {
namespace {

/// A gateway that starts knows who is suspended or has an override before its first request, unless Redis does not
/// answer.
constexpr auto kLongestWait = std::chrono::seconds(1);

OpenLog open_ban_log(boost::asio::io_context& loop) {
  return [&loop](const config::Config& config) -> std::shared_ptr<limit::SharedLog> {
    if (!config.redis) return nullptr;
    Duration kept{0};
    for (const auto& limit : config.limits)
      if (limit.ban) kept = std::max(kept, limit.ban->longest);
    return std::make_shared<redis::RedisSharedLog>(loop, *config.redis, redis::kBans, kept);
  };
}

/// What has ended needs no entry any more: nobody could act on it.
OpenLog open_override_log(boost::asio::io_context& loop) {
  return [&loop](const config::Config& config) -> std::shared_ptr<limit::SharedLog> {
    if (!config.redis) return nullptr;
    return std::make_shared<redis::RedisSharedLog>(loop, *config.redis, redis::kOverrides, Duration(0));
  };
}

/// Names this process to the ledger.
std::string random_sender() {
  std::random_device random;
  std::array<char, 2 * 8 + 1> text{};
  std::snprintf(text.data(), text.size(), "%08x%08x", random(), random());
  return text.data();
}

OpenLedger open_ledger(boost::asio::io_context& loop) {
  return [&loop, name = random_sender()](const config::Config& config) -> std::shared_ptr<limit::Ledger> {
    return config.redis ? std::make_shared<redis::RedisLedger>(loop, *config.redis, name) : nullptr;
  };
}

std::shared_ptr<QuotaService> quota_service(boost::asio::io_context& loop, Clock& clock,
                                            std::shared_ptr<WebhookService> webhooks) {
  auto out = std::make_shared<QuotaService>(
      clock,
      [&loop](const config::Config& config) { return std::make_shared<redis::RedisNoticeMarks>(loop, *config.redis); },
      [webhooks = std::move(webhooks)](std::string id, std::string body, std::function<void(notify::Fate)> ended) {
        return webhooks->send(std::move(id), std::move(body), std::move(ended));
      });
  out->start();
  return out;
}

std::shared_ptr<AgreementService> agreement_service(boost::asio::io_context& loop, Clock& clock, Reasons& reasons) {
  auto out = std::make_shared<AgreementService>(
      clock,
      [&loop](const config::Config& config) { return std::make_shared<redis::RedisFingerprints>(loop, *config.redis); },
      [&reasons](const auto& limits) { reasons.set_only(ReasonKind::gateways_disagree, limits); });
  out->start();
  return out;
}

void collect_all(Shared& shared) {
  collect_process(shared.registry);
  collect_logs(shared.registry, [&logs = shared.logs] { return logs.dropped(); });
  shared.board.collect(shared.registry);
  shared.reasons.collect(shared.registry);
  shared.bounds.collect(shared.registry);
  collect_bans(shared.registry, shared.bans->table());
  collect_overrides(shared.registry, shared.overrides->book());
  collect_billing(shared.registry, [&billing = *shared.billing] { return billing.counts(); });
  collect_webhooks(shared.registry, [&webhooks = *shared.webhooks] { return webhooks.counts(); });
  collect_notices(shared.registry, [&quotas = *shared.quotas] { return quotas.counts(); });
  collect_keys(shared.registry, [&memory = shared.memory] {
    std::vector<KeysReport> out;
    for (auto& limit : memory.keys_by_limit()) out.push_back({std::move(limit.limit), limit.keys, limit.evicted});
    return out;
  });
}

std::vector<AdminEndpoint> endpoints_of(Shared& shared, GatewayProgram& program, SideThread& side,
                                        const ReadAgain& read_again, EventFeed& events, ConnectionCalls& connections) {
  auto& operators = shared.operators;
  const WithRedis with_redis = [&operators, &program](auto what) {
    (void)operators.on_main_thread([&program, what = std::move(what)] { program.with_redis(what); });
  };
  const auto keys = std::make_shared<const KeyReader>(program.top()->board(), shared.bans->table(),
                                                      shared.overrides->book(), shared.logs);
  const auto use = std::make_shared<const KeyUse>(operators, shared.memory, program.top()->board(), with_redis);
  auto out = ban_endpoints(shared.bans, keys, use);
  const auto add = [&out](std::vector<AdminEndpoint> more) {
    for (auto& each : more) out.push_back(std::move(each));
  };
  out.push_back(status_endpoint(shared.board, shared.reasons, operators, shared.logs, program.rates()));
  add(config_endpoints(operators, side, read_again));
  out.push_back(reload_endpoint(program.calls()));
  add(limits_endpoints(operators, shared.registry, shared.memory));
  add(key_endpoints(operators, shared.memory, shared.bans->table(), keys, with_redis));
  add({forget_endpoint(operators, shared.memory, with_redis)});
  add(override_endpoints(operators, shared.overrides, keys, use));
  out.push_back(routes_endpoint(operators));
  add(top_endpoints(program.top()));
  add(usage_endpoints(shared.billing));
  out.push_back(servers_endpoint([&board = shared.board] { return board.upstreams(); },
                                 [&shared](const std::string& upstream) {
                                   const auto active = shared.operators.now().active;
                                   return active
                                              ? queues_of(*active->compiled, upstream, shared.flights, shared.registry)
                                              : std::vector<QueueUse>();
                                 }));
  out.push_back(traffic_endpoint(program.rates(), operators));
  out.push_back(bounds_endpoint(shared.bounds));
  out.push_back(certificates_endpoint(operators, [&program] { return program.certificates().rows(); }));
  add(operate_endpoints(
      operators, shared.board, shared.logs, [] { (void)std::raise(SIGTERM); },
      [&operators, &program](const ServerState& now) {
        (void)operators.on_main_thread([&program, now] { program.use_state(now.upstream, now.server, now.down); });
      },
      [&operators, &program](const std::string& upstream, const std::string& server, const WantedSize& size) {
        return operators.on_main_thread(
            [&program, upstream, server, size] { program.use_size(upstream, server, size); });
      }));
  add(connection_endpoints(connections, operators, shared.logs));
  out.push_back(refused_endpoint(shared.refused));
  out.push_back(events_endpoint(events));
  out.push_back(explain_endpoint(shared.explain, shared.reasons));
  return out;
}

/// Stops the side thread before the admin interface, to which it gives answers. Also if something is thrown.
struct StopsFirst {
  SideThread& side;
  ~StopsFirst() { side.stop(); }
};

}  // namespace

// In this order: the logs first, so that every failure is logged; then the active configuration, which fails for a bad
// key file; then the admin interface, so that the wait for keys can be observed; then the workers.
int serve_gateway(const config::Config& config, const ReadAgain& read_again, const std::vector<std::string>& watched) {
  const bool same_hashes = TakenOver::adopt_secret();
  auto command = CommandLine::of_this_process();
  ignore_stray_signals();
  std::signal(SIGHUP, SIG_IGN);  // until the program handles it
  observe::Logs logs(config.log);
  boost::asio::io_context main_loop{1};
  net::LoopClock clock(main_loop);
  const auto webhooks = std::make_shared<WebhookService>(main_loop);
  Shared shared(config, logs, webhooks, std::make_shared<BanService>(main_loop, open_ban_log(main_loop), webhooks),
                std::make_shared<OverrideService>(main_loop, open_override_log(main_loop)),
                std::make_shared<BillingService>(main_loop, open_ledger(main_loop)),
                quota_service(main_loop, clock, webhooks), main_loop);
  shared.reasons.set(ReasonKind::starting);
  shared.agreement = agreement_service(main_loop, clock, shared.reasons);
  SideThread side;
  GatewayProgram program(main_loop, side, config, read_again, shared);
  if (!watched.empty()) program.watch(watched);
  collect_all(shared);
  collect_connections(shared.registry, program.totals());
  auto passed = PassedSockets::from_environment();
  PassedSockets passed_to_admin;
  auto taken = TakenOver::from_environment(passed, passed_to_admin);
  const bool replaces = taken.begun();
  const auto run = [&] {
    EventFeed events;
    program.at_drain([&events] { events.close(); });
    ConnectionCalls connections(shared.operators, main_loop, program.totals());
    Admin admin(
        config.admin, shared.registry, [&reasons = shared.reasons] { return readiness_of(reasons); },
        endpoints_of(shared, program, side, read_again, events, connections));
    const StopsFirst stops_first{side};
    add_connection_bounds(shared.bounds, shared.operators, program.totals());
    add_key_bounds(shared.bounds, shared);
    add_upstream_bounds(shared.bounds, shared);
    add_report_bounds(shared.bounds, shared);
    add_admin_bounds(shared.bounds, admin, events);
    program.use_admin(admin);
    program.hand_over_by(std::move(taken), std::move(command));
    // The process before this one answers for both until this one serves.
    const auto wait = [&] {
      program.await_keys();
      const auto end = std::chrono::steady_clock::now() + kLongestWait;
      shared.bans->await_first(end);
      shared.overrides->await_first(end);
    };
    if (replaces) {
      wait();
      shared.reasons.clear(ReasonKind::starting);
    }
    if (const auto started = admin.start(replaces ? &passed_to_admin : &passed); started.has_error()) {
      if (!tell_replaced(started.error())) std::fprintf(stderr, "headgate: %s\n", started.error().c_str());
      return 1;
    }
    if (!replaces) wait();
    program.take_state(same_hashes);  // as late as it can be: until then the process before this one counts
    const Options options{.listen = config.listen, .workers = config.workers, .reloads = true, .passed = &passed};
    const auto result = serve(main_loop, options, program);
    events.close();
    side.stop();
    admin.stop();
    return result;
  };
  try {
    return run();
  } catch (const std::exception& failure) {
    // Here, because later nobody hears it: the program has the socket to the process before this one.
    if (!tell_replaced(std::string("cannot start: ") + failure.what())) throw;
    return 1;
  }
}

}  // namespace headgate::server
