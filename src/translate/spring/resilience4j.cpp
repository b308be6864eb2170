// Translates limits and circuits of Resilience4j. Annotations in code, which no file shows, decide where they apply. So
// the limits are written without a route that uses them.

#include "translate/draft/json.hpp"
#include "translate/reading/numbers.hpp"
#include "translate/spring/filters.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

/// An instance and the configurations that it inherits from: its base, and "default".
struct Instance {
  std::string name;
  std::vector<const TreeNode*> layers;

  std::string get(std::string_view key, std::string_view otherwise) const {
    for (const auto* layer : layers)
      if (auto text = spring_text(*layer, key); !text.empty()) return text;
    return std::string(otherwise);
  }
  const Spot& spot() const { return layers.front()->spot; }
};

std::vector<Instance> instances_of(const TreeNode& document, std::string_view kind) {
  std::vector<Instance> out;
  const auto& all = spring_member(spring_member(document, "resilience4j"), kind);
  const auto& configs = spring_member(all, "configs");
  for (const auto* list : {&spring_member(all, "instances"), &spring_member(all, "backends")})
    for (const auto& [name, node] : list->members) {
      Instance instance{name, {&node}};
      constexpr int kDeepestBase = 8;
      auto base = spring_text(node, "base-config", "default");
      for (int depth = 0; !base.empty() && depth < kDeepestBase; ++depth) {
        const auto& config = configs[base];
        if (!config) break;
        instance.layers.push_back(&config);
        base = spring_text(config, "base-config");
      }
      out.push_back(std::move(instance));
    }
  return out;
}

/// Converts "1s", "500ms", "PT1S" or "500ns". Times below a millisecond become one millisecond.
std::optional<std::uint64_t> time_in(const std::string& text) {
  if (text.ends_with("ns") || text.ends_with("us")) return 1;
  return spring_time(text);
}

std::string period_of(std::uint64_t period) {
  if (period == 1000) return "second";
  if (period == 60'000) return "minute";
  if (period == 3'600'000) return "hour";
  return period % 1000 == 0 ? std::to_string(period / 1000) + "s" : std::to_string(period) + "ms";
}

DraftEntry limit_named(SpringWork& work, const Instance& instance, const char* kind, const std::string& end = {}) {
  DraftEntry limit;
  limit.name = free_name(instance.name + end, work.draft.limit_names);
  limit.spot = instance.spot();
  limit.from = std::string(kind) + ' ' + instance.name;
  limit.comments.push_back(limit.from + ", which all callers share; a route names it in \"limits\"");
  return limit;
}

void take_rate_limiter(SpringWork& work, const Instance& instance) {
  const auto count = whole_count(instance.get("limit-for-period", "50"));
  const auto period = time_in(instance.get("limit-refresh-period", "500ns"));
  if (!count || *count == 0 || !period)
    return work.draft.say(Matter::lost, instance.spot(), "ratelimiter " + instance.name,
                          "none of its rates was understood");
  auto limit = limit_named(work, instance, "ratelimiter");
  limit.set("rate", rate_of(*count, period_of(*period)));
  limit.set("per", json_text("total"));
  if (const auto wait = time_in(instance.get("timeout-duration", "5s"))) {
    limit.set("wait", milliseconds(*wait));
    say(limit, Matter::differs, instance.spot(), limit.from,
        "a waiting request gets the next permit and need not wait for the next period: permits come back evenly");
  } else {
    limit.set("algorithm", json_text("fixed_window"));
    say(limit, Matter::differs, instance.spot(), limit.from,
        "its periods start with the application; headgate's periods follow the clock");
  }
  put_limit(work.draft, std::move(limit));
}

void take_bulkhead(SpringWork& work, const Instance& instance, const char* kind, const char* key,
                   const char* otherwise) {
  const auto count = whole_count(instance.get(key, otherwise));
  if (!count || *count == 0)
    return work.draft.say(Matter::lost, instance.spot(), std::string(kind) + ' ' + instance.name,
                          std::string("it has no ") + key + " that was understood");
  auto limit = limit_named(work, instance, kind, "-" + std::string(kind));
  limit.set("in_flight", std::to_string(*count));
  limit.set("per", json_text("total"));
  if (const auto wait = time_in(instance.get("max-wait-duration", "0"))) limit.set("wait", milliseconds(*wait));
  if (const auto queue = whole_count(instance.get("queue-capacity", "")); queue && *queue > 0)
    say(limit, Matter::lost, instance.spot(), "queue-capacity: " + std::to_string(*queue),
        "write how long a request may wait in \"wait\", and the \"queue\" beside it");
  put_limit(work.draft, std::move(limit));
}

/// Converts a percentage such as "50" or "50.0".
std::string share_of(std::string text) {
  if (const auto dot = text.find('.'); dot != std::string::npos) text.erase(dot);
  const auto share = whole_count(text);
  return json_text(std::to_string(std::clamp<std::uint64_t>(share.value_or(50), 1, 100)) + "%");
}

void take_circuit(SpringWork& work, const Instance& instance, const std::vector<Instance>& time_limiters) {
  Members members{{"open_at", share_of(instance.get("failure-rate-threshold", "50"))}};
  const auto what = "circuitbreaker " + instance.name;
  const auto size = whole_count(instance.get("sliding-window-size", "100")).value_or(100);
  if (same_word(instance.get("sliding-window-type", "COUNT_BASED"), "TIME_BASED"))
    members.emplace_back("of_last", json_text(std::to_string(size) + "s"));
  else
    work.draft.say(Matter::differs, instance.spot(), what,
                   "it looks at the last " + std::to_string(size) + " calls; headgate at those of a time: \"of_last\"");
  if (const auto least = whole_count(instance.get("minimum-number-of-calls", "100")); least && *least > 0)
    members.emplace_back("at_least", std::to_string(*least));
  if (const auto wait = time_in(instance.get("wait-duration-in-open-state", "60s")))
    members.emplace_back("try_again", milliseconds(*wait));
  for (const auto* key : {"slow-call-rate-threshold", "slow-call-duration-threshold", "record-exceptions",
                          "ignore-exceptions", "record-failure-predicate"})
    if (!instance.get(key, "").empty() || spring_member(*instance.layers.front(), key))
      work.draft.say(Matter::lost, instance.spot(), what + ": " + key,
                     "headgate counts failed connections, timeouts and statuses of failure");
  const auto trials = whole_count(instance.get("permitted-number-of-calls-in-half-open-state", "10"));
  if (trials && *trials > 0) members.emplace_back("trials", std::to_string(*trials));
  SpringCircuit circuit{object_of(members), {}};
  for (const auto& limiter : time_limiters)
    if (limiter.name == instance.name)
      if (const auto time = time_in(limiter.get("timeout-duration", "1s"))) circuit.timeout = milliseconds(*time);
  work.circuits.emplace(instance.name, std::move(circuit));
}

}  // namespace

void take_resilience4j(SpringWork& work, const TreeNode& document) {
  const auto time_limiters = instances_of(document, "timelimiter");
  for (const auto& each : instances_of(document, "ratelimiter")) take_rate_limiter(work, each);
  for (const auto& each : instances_of(document, "bulkhead"))
    take_bulkhead(work, each, "bulkhead", "max-concurrent-calls", "25");
  for (const auto& each : instances_of(document, "thread-pool-bulkhead"))
    take_bulkhead(work, each, "thread-pool-bulkhead", "max-thread-pool-size", "");
  for (const auto& each : instances_of(document, "circuitbreaker")) take_circuit(work, each, time_limiters);
  if (!spring_at(document, "spring.cloud.gateway")) {
    for (const auto& each : instances_of(document, "circuitbreaker"))
      work.draft.say(Matter::lost, each.spot(), "circuitbreaker " + each.name,
                     "write in the upstream: \"circuit\": " + work.circuits[each.name].json);
    for (const auto& each : time_limiters)
      work.draft.say(Matter::lost, each.spot(), "timelimiter " + each.name,
                     "write in the route: \"timeout\": \"" + each.get("timeout-duration", "1s") + '"');
  }
  for (const auto& each : instances_of(document, "retry"))
    work.draft.say(Matter::lost, each.spot(), "retry " + each.name, "write in the upstream: \"retry\"");
}

void break_circuit(SpringWork& work, const SpringStep& filter, DraftEntry& route) {
  const auto named = filter.arguments.find("name");
  const auto name = named != filter.arguments.end() ? named->second
                    : filter.values.empty()         ? std::string()
                                                    : filter.values.front();
  const auto found = work.circuits.find(name);
  auto* const upstream = upstream_in(work.draft, route.get("to"));
  if (found == work.circuits.end() || upstream == nullptr)
    return say(route, Matter::lost, filter.spot, filter.text,
               "write \"circuit\" in the upstream, and \"on_reject\" in the route for its fallback");
  upstream->set("circuit", found->second.json);
  if (!found->second.timeout.empty()) route.set("timeout", found->second.timeout);
  if (filter.arguments.contains("fallbackUri"))
    say(route, Matter::lost, filter.spot, "fallbackUri",
        "write \"on_reject\": { \"to\": an upstream } in the route: while the circuit is open requests are refused "
        "with 503");
}

}  // namespace headgate::translate
