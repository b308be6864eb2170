#pragma once
// The arithmetic of token_bucket and leaky_bucket: a bucket kept as GCRA, known by the moment it will be as if never
// used. How far that lies ahead of now is what was taken, measured in the time it takes to gain it.

#include "wide.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>

namespace headgate::limit {

/// A time of whole microseconds and `part` of one, in units of 1/rate.count; 0 <= part < rate.count. So that a token of
/// "7/second", 142857 1/7 µs, is exact.
struct Span {
  std::int64_t whole = 0;
  std::int64_t part = 0;
  auto operator<=>(const Span&) const = default;
};

inline Span minus(Span a, Span b, std::int64_t parts) noexcept {
  Span difference{a.whole - b.whole, a.part - b.part};
  if (difference.part < 0) difference = {difference.whole - 1, difference.part + parts};
  return difference;
}

inline std::int64_t round_up(Span span) noexcept { return span.whole + (span.part > 0 ? 1 : 0); }

inline std::int64_t parts_of(const Rule& rule) noexcept { return static_cast<std::int64_t>(rule.rate.count); }

/// How long `tokens` take to be gained, rounded down to a part; below 0 for tokens below 0.
inline Span time_of(std::int64_t tokens, const Rate& rate) noexcept {
  const auto count = static_cast<std::int64_t>(rate.count);
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(tokens, rate.period.count(), &product) && product >= 0)
    return {product / count, product % count};
  const Wide wide = Wide{tokens} * rate.period.count();
  Wide whole = wide / count;
  Wide part = wide % count;
  if (part < 0) {
    part += count;
    --whole;
  }
  return {static_cast<std::int64_t>(whole), static_cast<std::int64_t>(part)};
}

/// How many whole tokens are gained in `span`, which is not below 0.
inline std::uint64_t tokens_in(Span span, const Rate& rate) noexcept {
  const auto count = static_cast<std::int64_t>(rate.count);
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(span.whole, count, &product) && !__builtin_add_overflow(product, span.part, &product))
    return static_cast<std::uint64_t>(product / rate.period.count());
  return static_cast<std::uint64_t>((Wide{span.whole} * count + span.part) / rate.period.count());
}

/// How long the whole bucket takes to be gained.
inline Span size_of(const Rule& rule) noexcept {
  if (rule.burst == rule.rate.count) return {rule.rate.period.count(), 0};
  return time_of(static_cast<std::int64_t>(rule.burst), rule.rate);
}

inline Span wait_of(const Rule& rule) noexcept { return {rule.wait.count(), 0}; }

/// A cost beyond all that can ever be there takes, or gives back, as much as one just beyond it; so increments stay
/// small and exact.
inline Span increment_of(const Rule& rule, std::int64_t cost) noexcept {
  auto most = static_cast<std::int64_t>(rule.burst) + 1;
  if (cost <= most && cost >= -most) return time_of(cost, rule.rate);
  most += static_cast<std::int64_t>(tokens_in(wait_of(rule), rule.rate)) + 1;
  return time_of(std::clamp(cost, -most, most), rule.rate);
}

/// No wait helps a cost beyond the burst, however much is gained in it.
inline bool fits(const Rule& rule, std::int64_t cost) noexcept { return cost <= static_cast<std::int64_t>(rule.burst); }

enum Number : std::size_t { kWhole, kPart };  // of State, where they are the moment, and of Words, where they are room

/// How much may still be taken where the moment may lie at most `reach` ahead of now. `stale` where it lies further.
inline Span room_of(const State& state, const Rule& rule, Span reach, Instant now, bool& stale) noexcept {
  const std::int64_t parts = parts_of(rule);
  Span ahead{state.numbers[kWhole] - now.time_since_epoch().count(), state.numbers[kPart]};
  if (ahead.part >= parts) ahead.part = 0;  // the rate has changed since
  if (ahead.whole < 0) return reach;        // as if never used again
  stale = ahead > reach;
  return stale ? Span{} : minus(reach, ahead, parts);
}

/// What is left of `room` after taking `cost`; below 0 where there is less.
inline Span left_of(Span room, const Rule& rule, std::int64_t cost, Span reach) noexcept {
  if (cost == 0) return room;
  const Span left = minus(room, increment_of(rule, cost), parts_of(rule));
  return cost < 0 && left > reach ? reach : left;  // more may be given back than was taken
}

/// What is left where a cost takes what there is.
inline Span left_at_least_nothing(Span left) noexcept { return left.whole < 0 ? Span{} : left; }

/// Algorithm::commit, where the moment may lie at most `reach` ahead.
inline Instant take(State& state, const Rule& rule, std::int64_t cost, Span reach, Instant now,
                    const Outcome& outcome) noexcept {
  const Span room{outcome.words[kWhole], outcome.words[kPart]};
  const Span ahead = minus(reach, left_at_least_nothing(left_of(room, rule, cost, reach)), parts_of(rule));
  state.numbers = {};  // never used, on whatever clock
  if (ahead > Span{}) state.numbers = {now.time_since_epoch().count() + ahead.whole, ahead.part};
  return now + Duration(round_up(ahead));
}

/// Whether `room` is one that room_of can have found.
inline bool is_room(Span room, const Rule& rule, Span reach) noexcept {
  return room.whole >= 0 && room.part >= 0 && room.part < parts_of(rule) && room <= reach;
}

/// Algorithm::arguments: what token_bucket.lua and leaky_bucket.lua both describe.
void refill_arguments(const Rule& rule, std::int64_t cost, Instant now, ArgumentList& out);

/// Algorithm::check of both.
std::optional<RuleFault> check_refill(const Rule& rule);

}  // namespace headgate::limit
