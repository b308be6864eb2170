// A window that begins with its first request. An algorithm needs no files but this one and toy.lua. Only tests use it.

#include "headgate/limit/algorithm.hpp"

#include <algorithm>

namespace headgate::limit {
namespace {

enum Number : std::size_t { kUsed, kEnd };  // the elements of State: requests, and microseconds since the epoch
enum Word : std::size_t { kUsedNow, kLeft };

constexpr std::int64_t kMax = kMaxRequests;

std::int64_t count_of(const Rule& rule) noexcept { return static_cast<std::int64_t>(rule.rate.count); }

bool allows(const Rule& rule, std::int64_t cost, std::int64_t used) noexcept {
  return cost <= 0 || cost <= count_of(rule) - used;
}

std::int64_t used_after(const Rule& rule, std::int64_t used, std::int64_t cost, CommitMode mode) noexcept {
  if (mode == CommitMode::none) return used;
  if (cost > 0 && mode != CommitMode::debt) cost = std::min(cost, std::max<std::int64_t>(count_of(rule) - used, 0));
  return std::clamp<std::int64_t>(used + cost, 0, 2 * kMax);
}

std::uint64_t default_burst(const Rule& rule) { return rule.rate.count; }

std::optional<RuleFault> check(const Rule& rule) {
  if (rule.wait != Duration(0)) return RuleFault{"toy has no waits", "leave the wait out"};
  if (rule.burst != rule.rate.count) return RuleFault{"toy has no burst of its own", "leave the burst out"};
  if (rule.rate.month || rule.calendar != nullptr) return RuleFault{"toy knows no calendar", "write \"30d\""};
  return std::nullopt;
}

std::string meaning(const Rule& rule, std::string_view noun) {
  return std::to_string(rule.rate.count).append(noun) + ' ' + period_text(rule.rate) + ", from the first one on";
}

Outcome peek(const State& state, const Rule& rule, std::int64_t cost, Instant now) {
  Outcome outcome;
  std::int64_t used = state.numbers[kUsed];
  std::int64_t left = state.numbers[kEnd] - now.time_since_epoch().count();
  if (used == 0 || left <= 0) {
    used = 0;
    left = rule.rate.period.count();
  } else if (left > rule.rate.period.count()) {  // the period was longer before, or a clock was ahead
    left = rule.rate.period.count();
    outcome.stale = true;
  }
  outcome.words = {used, left};
  outcome.allowed = allows(rule, cost, used);
  return outcome;
}

Instant commit(State& state, const Rule& rule, std::int64_t cost, CommitMode mode, Instant now,
               const Outcome& outcome) {
  const std::int64_t before = outcome.words[kUsedNow];
  const std::int64_t used = used_after(rule, before, cost, mode);
  const Instant end = now + Duration(outcome.words[kLeft]);
  if (used == before && !outcome.stale) return used == 0 ? now : end;
  state.numbers = {};
  if (used != 0) state.numbers = {used, end.time_since_epoch().count()};
  return used == 0 ? now : end;
}

std::optional<Decision> decision(const Rule& rule, std::int64_t cost, CommitMode mode,
                                 std::span<const std::int64_t> words) {
  const std::int64_t used = words[kUsedNow];
  const Duration left(words[kLeft]);
  if (used < 0 || used > 2 * kMax || left <= Duration(0) || left > rule.rate.period) return std::nullopt;
  const std::int64_t after = used_after(rule, used, cost, mode);
  Decision decision;
  decision.allowed = allows(rule, cost, used);
  decision.limit = rule.rate.count;
  decision.remaining = static_cast<std::uint64_t>(std::max<std::int64_t>(count_of(rule) - after, 0));
  if (!decision.allowed) decision.retry_after = cost > count_of(rule) ? kNever : left;
  decision.reset_after = after == 0 ? Duration(0) : left;
  return decision;
}

void arguments(const Check& check, Instant, ArgumentList& out) {
  out.add(std::clamp<std::int64_t>(check.cost, -2 * kMax, 2 * kMax));
  out.add(check.rule->rate.count);
  out.add(check.rule->rate.period.count());
}

}  // namespace

extern const Algorithm toy;
const Algorithm toy{.name = "toy",
                    .words = 2,
                    .leasable = false,
                    .gives_back_late = false,
                    .by_window = true,
                    .default_burst = default_burst,
                    .check = check,
                    .meaning = meaning,
                    .peek = peek,
                    .commit = commit,
                    .decision = decision,
                    .arguments = arguments};

}  // namespace headgate::limit
