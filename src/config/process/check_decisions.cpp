// Checks a configuration with listeners that only decide about requests: they see neither bodies nor answers.

#include "config/build.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/each_per.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/limit/in_flight.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::config {
namespace {

/// Returns the listeners with this protocol, as nodes of the file.
std::vector<const Node*> listeners_with(const Build& build, std::string_view with) {
  const Node* listen = find(&build.root, "listen");
  auto out = children(listen, Kind::list);
  if (listen != nullptr && listen->kind == Kind::object) out.push_back(listen);
  std::erase_if(out, [with](const Node* each) {
    const Node* protocol = text_at(each, "protocol");
    return protocol == nullptr || protocol->text != with;
  });
  return out;
}

bool counts_in_flight(const limit::Limit& limit) {
  return std::ranges::any_of(limit.tiers, [](const limit::Tier& tier) {
    return !tier.rules.empty() && tier.rules.front().algorithm == &limit::in_flight;
  });
}

bool reads_body(const limit::Limit& limit, const gateway::Cost& cost) {
  bool reads = reads_request_body(cost);
  gateway::each_per(limit, [&](const limit::Per& per) { reads = reads || per.source->needs == gateway::Needs::body; });
  return reads;
}

constexpr std::string_view kForward = "use this limit in a gateway that forwards the requests";

/// Something that a limit needs and a decision does not have.
struct MissingInDecisions {
  std::string_view what{};           ///< the end of a sentence; "" if nothing is missing
  std::string_view help = kForward;  ///< the way out
  bool in_a_second_call = false;     ///< whether a call that settles the decision would have it
};

MissingInDecisions missing_in_decisions(const limit::Limit& limit, const gateway::Cost& cost) {
  constexpr std::string_view kSettle =
      R"(let the proxy settle its decisions with a second call: add "settle_within": "5m" to the listener)";
  if (limit.messages) return {"counts messages, and a decision does not see them"};
  if (limit.glitches) return {"counts glitches, and a decision does not see the connection of the client"};
  if (!limit.counted_statuses.empty()) return {"counts statuses, and a decision does not see the answer"};
  if (limit.ban && !limit.ban->statuses.empty())
    return {"suspends by statuses, and a decision does not see the answer"};
  if (is_settled(cost) && cost.hold.reads_body())
    return {"reads its hold from the body of a request, and a decision does not see it",
            R"(hold a number, such as "hold": 500, and add "settle_within": "5m" to the listener)"};
  if (reads_body(limit, cost)) return {"reads the body of a request, and a decision does not see it"};
  if (counts_in_flight(limit))
    return {"counts requests in flight, and a decision does not hear when a request ends", kSettle, true};
  if (is_settled(cost)) return {"takes its cost from the answer, and a decision does not see it", kSettle, true};
  return {};
}

/// Returns the first listener whose decisions are not settled afterwards, or null.
const Node* first_unsettled(const std::vector<const Node*>& listeners) {
  const auto found =
      std::ranges::find_if(listeners, [](const Node* each) { return find(each, "settle_within") == nullptr; });
  return found == listeners.end() ? nullptr : *found;
}

/// Reports a listener for Envoy that settles, if no other listener can take the calls. A question of Envoy is the
/// request of its client, so a client could send such a call.
void check_settle_calls(Build& build, const std::vector<const Node*>& listeners) {
  const auto asks_as_client = [](const Node* each) {
    const Node* from = text_at(each, "from");
    return from != nullptr && from->text == "envoy";
  };
  const Node* envoy = nullptr;
  for (const Node* each : listeners) {
    const Node* within = find(each, "settle_within");
    if (within == nullptr) continue;
    if (!asks_as_client(each)) return;
    if (envoy == nullptr) envoy = within;
  }
  if (envoy != nullptr)
    build.report.error_at_key(
        code::kConflict, *envoy,
        "no listener takes the calls of /settle: here, such a call could not be told from a request of Envoy's client",
        R"(add a listener for them: { "address": "127.0.0.1:9002", "protocol": "decision", "from": "traefik", )"
        R"("settle_within": "5m" })");
}

}  // namespace

bool decides(const Build& build) { return !listeners_with(build, "decision").empty(); }

void check_decisions(Build& build) {
  const auto listeners = listeners_with(build, "decision");
  auto all = listeners_with(build, "rate_limit_service");
  all.insert(all.end(), listeners.begin(), listeners.end());
  if (all.empty()) return;
  if (build.config.identity.trusted_proxies.empty())
    build.report.error_at_key(code::kProxies, *find(all.front(), "protocol"),
                              "no proxy is trusted, so this listener would refuse every question",
                              R"(name the proxy's address: "identity": { "trusted_proxies": ["127.0.0.1/32"] })");
  if (listeners.empty()) return;
  check_settle_calls(build, listeners);
  const Node* const unsettled = first_unsettled(listeners);
  std::set<std::string> told;
  const auto check = [&](const gateway::LimitUse& use) {
    const int at = limit_index(build, use.limit);
    if (at < 0) return;
    const auto& limit = build.config.limits[static_cast<std::size_t>(at)];
    const auto missing = missing_in_decisions(limit, use.cost);
    if (missing.what.empty() || (missing.in_a_second_call && unsettled == nullptr)) return;
    if (!told.insert(limit.name).second) return;
    const Node* const listener = missing.in_a_second_call ? unsettled : listeners.front();
    build.report.error_at_key(code::kConflict, *find(listener, "protocol"),
                              "limit " + in_quotes(limit.name) + " " + std::string(missing.what),
                              std::string(missing.help));
  };
  for (const auto& use : build.config.gateway.all_routes.limits) check(use);
  for (const auto& route : build.config.gateway.routes)
    for (const auto& use : route.limits) check(use);
}

}  // namespace headgate::config
