// Leaky bucket: each request fills the bucket further, and the bucket leaks at the rate. Without a wait it is a meter:
// a request that would overflow is rejected. With a wait it is a queue: a request is delayed until everything before it
// has leaked out, so that requests leave evenly spaced. lua/algorithms/leaky_bucket.lua is the same arithmetic.

#include "../refill.hpp"

namespace headgate::limit {
namespace {

bool is_queue(const Rule& rule) noexcept { return rule.wait > Duration(0); }

std::uint64_t default_burst(const Rule& rule) {
  return is_queue(rule) ? tokens_in(wait_of(rule), rule.rate) + 1 : 1;  // one request leaves at once
}

std::string meaning(const Rule& rule, std::string_view noun) {
  std::string text = std::to_string(rule.rate.count).append(noun) + ' ' + period_text(rule.rate) + ", evenly spaced";
  if (is_queue(rule))
    text += ", up to " + std::to_string(rule.burst) + " queued for at most " + headgate::to_text(rule.wait);
  else if (rule.burst > 1)
    text += " once " + std::to_string(rule.burst) + " have come at once";
  return text;
}

/// Returns how many requests of cost 1 fit before one overflows or would wait too long.
std::uint64_t remaining_in(const Rule& rule, ExactDuration room, ExactDuration level) noexcept {
  if (room < ExactDuration{}) return 0;
  const std::uint64_t held = tokens_in(room, rule.rate);
  if (!is_queue(rule)) return held;
  const ExactDuration wait = wait_of(rule);
  if (level > wait) return 0;
  return std::min(held, tokens_in(minus(wait, level, parts_of(rule)), rule.rate) + 1);
}

/// Returns the time until `cost` is allowed, with `left` left and if nothing else is taken.
Duration wait_after(const Rule& rule, std::int64_t cost, ExactDuration left, ExactDuration level, ExactDuration size) {
  const auto behind = is_queue(rule) ? round_up(minus(level, wait_of(rule), parts_of(rule))) : 0;
  return Duration(std::max<std::int64_t>({0, behind, -left_of(left, rule, cost, size).whole}));
}

Outcome peek(const State& state, const Rule& rule, std::int64_t cost, Instant now) {
  const ExactDuration size = size_of(rule);
  Outcome outcome;
  const ExactDuration room = room_of(state, rule, size, now, outcome.stale);
  outcome.words = {room.whole, room.part};
  outcome.allowed = cost <= 0 || (room >= increment_of(rule, cost) &&
                                  (!is_queue(rule) || minus(size, room, parts_of(rule)) <= wait_of(rule)));
  if (!outcome.allowed && fits(rule, cost)) {
    const ExactDuration most = minus(size, increment_of(rule, cost), parts_of(rule));
    outcome.words[kWait] = wait_at_faster_pace(state, rule, is_queue(rule) ? std::min(most, wait_of(rule)) : most, now);
  }
  return outcome;
}

Instant commit(State& state, const Rule& rule, std::int64_t cost, CommitMode mode, Instant now,
               const Outcome& outcome) {
  return take(state, rule, cost, mode, size_of(rule), now, outcome);
}

std::optional<Decision> decision(const Rule& rule, std::int64_t cost, CommitMode mode,
                                 std::span<const std::int64_t> words) {
  const ExactDuration room{words[kWhole], words[kPart]};
  const ExactDuration size = size_of(rule);
  if (!is_room(room, rule, size) || !is_wait(words[kWait])) return std::nullopt;
  const std::int64_t parts = parts_of(rule);
  const ExactDuration level = minus(size, room, parts);
  const ExactDuration after = left_of(room, rule, cost, size);
  const ExactDuration left = left_as_taken(room, after, rule, size, mode);
  const ExactDuration level_left = minus(size, left, parts);
  const bool too_late = is_queue(rule) && cost > 0 && level > wait_of(rule);
  Decision decision;
  decision.allowed = cost <= 0 || (after.whole >= 0 && !too_late);
  decision.limit = is_queue(rule) ? remaining_in(rule, size, {}) : rule.burst;
  decision.remaining = remaining_in(rule, left, level_left);
  if (!fits(rule, cost)) {
    decision.retry_after = kNever;
  } else if (!decision.allowed && is_drained(room, left, mode)) {
    decision.retry_after = wait_after(rule, cost, left, level_left, size);
  } else if (!decision.allowed) {  // -after rounded up is -after.whole, because its part counts upwards
    if (too_late) decision.retry_after = Duration(round_up(minus(level, wait_of(rule), parts)));
    decision.retry_after = std::max(decision.retry_after, Duration(-after.whole));
    if (words[kWait] > 0) decision.retry_after = Duration(words[kWait]);
  } else if (is_queue(rule) && cost > 0) {
    decision.delay = Duration(round_up(level));
  }
  decision.reset_after = Duration(round_up(level_left));
  if (decision.remaining < static_cast<std::uint64_t>(std::max<std::int64_t>(cost, 0)) && decision.allowed) [[unlikely]]
    decision.again_after = wait_after(rule, cost, left, level_left, size);
  return decision;
}

}  // namespace

extern const Algorithm leaky_bucket;
const Algorithm leaky_bucket{.name = "leaky_bucket",
                             .words = 3,
                             .leasable = false,
                             .default_burst = default_burst,
                             .check = check_refill,
                             .meaning = meaning,
                             .peek = peek,
                             .commit = commit,
                             .decision = decision,
                             .arguments = refill_arguments};

}  // namespace headgate::limit
