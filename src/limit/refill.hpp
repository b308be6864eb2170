#pragma once
// The arithmetic of token_bucket and leaky_bucket. The bucket is kept as GCRA: one moment, at which it will be as if
// never used. The distance from now to that moment is what was taken, measured in the time it takes to refill.

#include "wide.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <bit>

namespace headgate::limit {

/// A time in whole microseconds plus `part`, in units of 1/rate.count microseconds; 0 <= part < rate.count. So the time
/// of one token of "7/second", 142857 1/7 µs, is exact.
struct ExactDuration {
  std::int64_t whole = 0;
  std::int64_t part = 0;
  auto operator<=>(const ExactDuration&) const = default;
};

inline ExactDuration minus(ExactDuration a, ExactDuration b, std::int64_t parts) noexcept {
  ExactDuration difference{a.whole - b.whole, a.part - b.part};
  if (difference.part < 0) difference = {difference.whole - 1, difference.part + parts};
  return difference;
}

inline std::int64_t round_up(ExactDuration span) noexcept { return span.whole + (span.part > 0 ? 1 : 0); }

inline std::int64_t parts_of(const Rule& rule) noexcept { return static_cast<std::int64_t>(rule.rate.count); }

/// The time in which `tokens` refill, rounded down to a part; below 0 for tokens below 0.
inline ExactDuration time_of(std::int64_t tokens, const Rate& rate) noexcept {
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

/// How many whole tokens refill in `span` (0 or more).
inline std::uint64_t tokens_in(ExactDuration span, const Rate& rate) noexcept {
  const auto count = static_cast<std::int64_t>(rate.count);
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(span.whole, count, &product) && !__builtin_add_overflow(product, span.part, &product))
    return static_cast<std::uint64_t>(product / rate.period.count());
  return static_cast<std::uint64_t>((Wide{span.whole} * count + span.part) / rate.period.count());
}

/// The time in which an empty bucket fills.
inline ExactDuration size_of(const Rule& rule) noexcept {
  if (rule.burst == rule.rate.count) return {rule.rate.period.count(), 0};
  return time_of(static_cast<std::int64_t>(rule.burst), rule.rate);
}

inline ExactDuration wait_of(const Rule& rule) noexcept { return {rule.wait.count(), 0}; }

/// Maximum distance of the moment from now; a debt beyond it is dropped. No rule reaches further. With it, the moment
/// stays below 2^53 µs, exact in Lua, until 2155.
inline constexpr ExactDuration kMaxAhead{(kNever + std::chrono::minutes(1)).count(), 0};

/// The time in which `cost` refills, at most kMaxAhead in either direction.
inline ExactDuration increment_of(const Rule& rule, std::int64_t cost) noexcept {
  std::int64_t product = 0;  // at least the returned time
  if (!__builtin_mul_overflow(cost, rule.rate.period.count(), &product) && product <= kMaxAhead.whole &&
      product >= -kMaxAhead.whole)
    return time_of(cost, rule.rate);
  const Wide whole = Wide{cost} * rule.rate.period.count() / parts_of(rule);
  if (whole >= Wide{kMaxAhead.whole}) return kMaxAhead;
  if (whole <= -Wide{kMaxAhead.whole}) return {-kMaxAhead.whole, 0};
  return time_of(cost, rule.rate);
}

/// A cost beyond the burst never fits, however long it waits.
inline bool fits(const Rule& rule, std::int64_t cost) noexcept { return cost <= static_cast<std::int64_t>(rule.burst); }

/// What a bucket's State holds: the moment, the rate it was computed with, and the size of a debt. The debt says how
/// far the moment may lie beyond that of an empty bucket.
struct Reckoned {
  std::int64_t whole = 0;  ///< of the moment, in microseconds since the epoch
  std::int64_t part = 0;   ///< of the moment, in units of 1/count microseconds
  std::int64_t count = 0;
  std::int64_t period = 0;
  int owed = 0;  ///< 0: no debt; else a debt of less than 2^owed microseconds

  static constexpr int kCountBit = 32;  // in numbers[1], above the part
  static constexpr int kOwedBit = 48;   // in numbers[2], above the period

  static Reckoned in(const State& state) noexcept {
    const auto& numbers = state.numbers;
    return {.whole = numbers[0],
            .part = numbers[1] & ((std::int64_t{1} << kCountBit) - 1),
            .count = numbers[1] >> kCountBit,
            .period = numbers[2] & ((std::int64_t{1} << kOwedBit) - 1),
            .owed = static_cast<int>(numbers[2] >> kOwedBit)};
  }
  void write(State& state) const noexcept {
    state.numbers = {whole, part | (count << kCountBit), period | (std::int64_t{owed} << kOwedBit)};
  }
};

/// Converts `time` to another rate: as many tokens as refill in `time` at the rate of `from`, at the rate of `rule`.
/// Exact if the periods are equal, else rounded down to a microsecond.
inline ExactDuration carried(ExactDuration time, const Reckoned& from, const Rule& rule) noexcept {
  const auto within = [](Wide whole) { return whole < Wide{kMaxAhead.whole}; };
  if (const std::int64_t period = rule.rate.period.count(); period != from.period) {
    const Wide whole = Wide{time.whole} * period / from.period;
    time = within(whole) ? ExactDuration{static_cast<std::int64_t>(whole), 0} : kMaxAhead;
  }
  if (const std::int64_t count = parts_of(rule); count != from.count) {
    const Wide parts = Wide{time.whole} * from.count + time.part;
    if (!within(parts / count)) return kMaxAhead;
    return {static_cast<std::int64_t>(parts / count), static_cast<std::int64_t>(parts % count)};
  }
  return time;
}

enum Word : std::size_t { kWhole, kPart };  // indexes of Words: the room, below 0 in debt

/// How much may still be taken, as a time; below 0 in debt. Without debt, the moment lies at most `reach` ahead of now.
/// Sets `stale` if it lies further, or was computed with another rate.
inline ExactDuration room_of(const State& state, const Rule& rule, ExactDuration reach, Instant now,
                             bool& stale) noexcept {
  const Reckoned stored = Reckoned::in(state);
  ExactDuration ahead{stored.whole - now.time_since_epoch().count(), stored.part};
  if (ahead.whole < 0 || stored.count == 0) return reach;  // as if never used
  std::int64_t owed = stored.owed > 0 ? std::int64_t{1} << stored.owed : 0;
  if (stored.count != parts_of(rule) || stored.period != rule.rate.period.count()) {
    stale = true;
    ahead = carried(ahead, stored, rule);
    owed = carried({owed, 0}, stored, rule).whole;
  }
  const ExactDuration most = owed > 0 ? std::min(ExactDuration{reach.whole + owed, reach.part}, kMaxAhead) : reach;
  if (ahead > most) {
    stale = true;
    ahead = most;
  }
  return minus(reach, ahead, parts_of(rule));
}

/// What is left of `room` after `cost`; below 0 if `cost` is more than `room`.
inline ExactDuration left_of(ExactDuration room, const Rule& rule, std::int64_t cost, ExactDuration reach) noexcept {
  if (cost == 0) return room;
  const ExactDuration left = minus(room, increment_of(rule, cost), parts_of(rule));
  return cost < 0 && left > reach ? reach : left;  // more may be given back than was taken
}

/// What is left of `room` if `cost` is taken as `taken` says. `after` is the result of left_of().
inline ExactDuration left_as_taken(ExactDuration room, ExactDuration after, const Rule& rule, ExactDuration reach,
                                   Taken taken) noexcept {
  if (taken == Taken::no) return room;
  if (taken == Taken::debt) return std::max(after, minus(reach, kMaxAhead, parts_of(rule)));
  return after.whole < 0 && after < room ? std::min(room, ExactDuration{}) : after;
}

/// Algorithm::commit. Without debt, the moment lies at most `reach` ahead.
inline Instant take(State& state, const Rule& rule, std::int64_t cost, Taken taken, ExactDuration reach, Instant now,
                    const Outcome& outcome) noexcept {
  const ExactDuration room{outcome.words[kWhole], outcome.words[kPart]};
  const std::int64_t parts = parts_of(rule);
  const ExactDuration left = left_as_taken(room, left_of(room, rule, cost, reach), rule, reach, taken);
  const ExactDuration ahead = minus(reach, left, parts);
  state.numbers = {};  // as if never used, on any clock
  if (ahead > ExactDuration{}) {
    const auto debt = static_cast<std::uint64_t>(std::max<std::int64_t>(0, round_up(minus(ahead, reach, parts))));
    const Reckoned reckoned{.whole = now.time_since_epoch().count() + ahead.whole,
                            .part = ahead.part,
                            .count = parts,
                            .period = rule.rate.period.count(),
                            .owed = static_cast<int>(std::bit_width(debt))};
    reckoned.write(state);
  }
  return now + Duration(round_up(ahead));
}

/// Whether room_of can have returned `room`.
inline bool is_room(ExactDuration room, const Rule& rule, ExactDuration reach) noexcept {
  return room.part >= 0 && room.part < parts_of(rule) && room <= reach && room.whole >= reach.whole - kMaxAhead.whole;
}

/// Algorithm::arguments of both, as token_bucket.lua and leaky_bucket.lua describe them.
void refill_arguments(const Check& check, Instant now, ArgumentList& out);

/// Algorithm::check of both.
std::optional<RuleFault> check_refill(const Rule& rule);

}  // namespace headgate::limit
