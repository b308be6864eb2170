// Concurrent requests: the state is the number of holders. In Redis, lua/in_flight.lua stores each holder separately.

#include "headgate/limit/in_flight.hpp"

#include <algorithm>
#include <string>

namespace headgate::limit {
namespace {

constexpr std::int64_t kMaxHolders = 1'000'000'000;

std::uint64_t default_burst(const Rule& rule) { return rule.rate.count; }

std::optional<RuleFault> check(const Rule& rule) {
  if (rule.burst >= 1 && rule.burst <= static_cast<std::uint64_t>(kMaxHolders)) return std::nullopt;
  return RuleFault{"a limit in flight is a number from 1 to 1000000000", "write \"in_flight\": 20"};
}

std::string meaning(const Rule& rule, std::string_view noun) {
  auto out = std::to_string(rule.burst).append(noun) + " at the same time";
  if (rule.wait > Duration(0))
    out += ", and " + std::to_string(rule.queue) + " more wait for at most " + headgate::to_text(rule.wait);
  return out;
}

Outcome peek(const State& state, const Rule& rule, std::int64_t cost, Instant) {
  Outcome outcome;
  outcome.words = {std::max<std::int64_t>(state.numbers[0], 0)};
  outcome.allowed = cost <= 0 || outcome.words[0] < static_cast<std::int64_t>(rule.burst);
  return outcome;
}

Instant commit(State& state, const Rule&, std::int64_t cost, CommitMode mode, Instant now, const Outcome& outcome) {
  const auto change = mode == CommitMode::none ? 0 : cost > 0 ? 1 : cost < 0 ? -1 : 0;
  state.numbers[0] = std::clamp<std::int64_t>(outcome.words[0] + change, 0, kMaxHolders);
  // Permits do not come back with time. So a counter with a held permit never equals an unused one, and is evicted
  // last.
  return state.numbers[0] == 0 ? now : Instant::max();
}

std::optional<Decision> decision(const Rule& rule, std::int64_t cost, CommitMode mode,
                                 std::span<const std::int64_t> words) {
  const auto held = words[0];
  if (held < 0 || held > kMaxHolders) return std::nullopt;
  const auto most = static_cast<std::int64_t>(rule.burst);
  Decision decision;
  decision.allowed = cost <= 0 || held < most;
  decision.limit = rule.burst;
  const auto after = held + (mode == CommitMode::none || cost == 0 ? 0 : cost > 0 ? 1 : -1);
  decision.remaining = static_cast<std::uint64_t>(std::clamp<std::int64_t>(most - after, 0, most));
  if (!decision.allowed) decision.retry_after = kFlightRetry;
  decision.reset_after = after > 0 ? kFlightRetry : Duration(0);
  return decision;
}

void arguments(const Check& check, Instant, ArgumentList& out) {
  out.add(check.cost > 0 ? 1 : check.cost < 0 ? -1 : 0);
  out.add(check.rule->burst);
  out.add(kFlightLease.count());
  out.add(check.token);
  if (check.rule->wait == Duration(0) || check.how == How::observe)
    out.add(std::string_view());
  else if (check.waited == 0)
    out.add(-1);
  else
    out.add((check.waited - 1LL) * 1000);
  out.add(kFlightPlace.count());
}

}  // namespace

const Algorithm in_flight{.name = "in_flight",
                          .words = 1,
                          .leasable = false,
                          .refills = false,
                          .default_burst = default_burst,
                          .check = check,
                          .meaning = meaning,
                          .peek = peek,
                          .commit = commit,
                          .decision = decision,
                          .arguments = arguments};

}  // namespace headgate::limit
