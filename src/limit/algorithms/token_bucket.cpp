// Token bucket: holds `burst` tokens and refills at the rate; each request takes some. With a wait, tokens that arrive
// within that wait may be taken early, and the request is delayed until they have arrived.
// lua/algorithms/token_bucket.lua is the same arithmetic.

#include "../refill.hpp"

namespace headgate::limit {
namespace {

/// Returns how far ahead the moment may be: an empty bucket plus the tokens of the wait.
ExactDuration reach_of(const Rule& rule) noexcept {
  ExactDuration reach = size_of(rule);
  reach.whole += rule.wait.count();
  return reach;
}

std::uint64_t default_burst(const Rule& rule) { return rule.rate.count; }

std::string meaning(const Rule& rule, std::string_view noun) {
  std::string text = std::to_string(rule.rate.count).append(noun) + ' ' + period_text(rule.rate) + " on average, " +
                     std::to_string(rule.burst) + " at once";
  if (rule.wait > Duration(0)) text += ", held back up to " + headgate::to_text(rule.wait) + " for a permit";
  return text;
}

Outcome peek(const State& state, const Rule& rule, std::int64_t cost, Instant now) {
  Outcome outcome;
  const ExactDuration reach = reach_of(rule);
  const ExactDuration room = room_of(state, rule, reach, now, outcome.stale);
  outcome.words = {room.whole, room.part};
  outcome.allowed = cost <= 0;
  if (cost > 0 && fits(rule, cost)) {
    const ExactDuration increment = increment_of(rule, cost);
    outcome.allowed = room >= increment;
    if (!outcome.allowed)
      outcome.words[kWait] = wait_at_faster_pace(state, rule, minus(reach, increment, parts_of(rule)), now);
  }
  return outcome;
}

Instant commit(State& state, const Rule& rule, std::int64_t cost, CommitMode mode, Instant now,
               const Outcome& outcome) {
  return take(state, rule, cost, mode, reach_of(rule), now, outcome);
}

std::optional<Decision> decision(const Rule& rule, std::int64_t cost, CommitMode mode,
                                 std::span<const std::int64_t> words) {
  const ExactDuration room{words[kWhole], words[kPart]};
  const ExactDuration reach = reach_of(rule);
  if (!is_room(room, rule, reach) || !is_wait(words[kWait])) return std::nullopt;
  const std::int64_t parts = parts_of(rule);
  const ExactDuration wait = wait_of(rule);
  const ExactDuration after = left_of(room, rule, cost, reach);
  const ExactDuration left = left_as_taken(room, after, rule, reach, mode);
  Decision decision;
  decision.allowed = cost <= 0 || (after.whole >= 0 && fits(rule, cost));
  decision.limit = rule.burst;
  decision.remaining = left > wait ? tokens_in(minus(left, wait, parts), rule.rate) : 0;
  if (!decision.allowed)  // -after rounded up is -after.whole, because its part counts upwards
    decision.retry_after = !fits(rule, cost)              ? kNever
                           : is_drained(room, left, mode) ? Duration(-left_of(left, rule, cost, reach).whole)
                                                          : Duration(words[kWait] > 0 ? words[kWait] : -after.whole);
  else if (cost > 0 && after < wait)
    decision.delay = Duration(round_up(minus(wait, after, parts)));
  decision.reset_after = Duration(round_up(minus(reach, left, parts)));
  if (decision.allowed && decision.remaining < static_cast<std::uint64_t>(std::max<std::int64_t>(cost, 0))) [[unlikely]]
    if (const auto next = left_of(left, rule, cost, reach); next.whole < 0)
      decision.again_after = Duration(-next.whole);
  return decision;
}

}  // namespace

extern const Algorithm token_bucket;
const Algorithm token_bucket{.name = "token_bucket",
                             .words = 3,
                             .leasable = true,
                             .even = true,
                             .default_burst = default_burst,
                             .check = check_refill,
                             .meaning = meaning,
                             .peek = peek,
                             .commit = commit,
                             .decision = decision,
                             .arguments = refill_arguments};

}  // namespace headgate::limit
