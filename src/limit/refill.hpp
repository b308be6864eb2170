#pragma once
// The arithmetic of token_bucket and leaky_bucket: a bucket kept as GCRA, known by the moment it will be as if never
// used. How far that lies ahead of now is what was taken, measured in the time it takes to gain it.

#include "wide.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <bit>

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

/// How far ahead of now a moment may lie at all: a debt beyond it is forgiven. No rule reaches further, and with it now
/// stays below 2^53 µs, exact in Lua, until 2155.
inline constexpr Span kMostAhead{(kNever + std::chrono::minutes(1)).count(), 0};

/// How long `cost` takes to be gained: what is beyond all that can ever be there as long as that.
inline Span increment_of(const Rule& rule, std::int64_t cost) noexcept {
  std::int64_t product = 0;  // at least what is returned
  if (!__builtin_mul_overflow(cost, rule.rate.period.count(), &product) && product <= kMostAhead.whole &&
      product >= -kMostAhead.whole)
    return time_of(cost, rule.rate);
  const Wide whole = Wide{cost} * rule.rate.period.count() / parts_of(rule);
  if (whole >= Wide{kMostAhead.whole}) return kMostAhead;
  if (whole <= -Wide{kMostAhead.whole}) return {-kMostAhead.whole, 0};
  return time_of(cost, rule.rate);
}

/// No wait helps a cost beyond the burst, however much is gained in it.
inline bool fits(const Rule& rule, std::int64_t cost) noexcept { return cost <= static_cast<std::int64_t>(rule.burst); }

/// What a bucket's State holds: the moment, the rate it was reckoned by, and how far it may lie beyond the reach of an
/// empty bucket, because it was in debt.
struct Reckoned {
  std::int64_t whole = 0;  ///< of the moment, microseconds since the epoch
  std::int64_t part = 0;   ///< and parts of one, in units of 1/count
  std::int64_t count = 0;
  std::int64_t period = 0;
  int owed = 0;  ///< 0: no debt; else a debt of less than 2^owed microseconds

  static constexpr int kCountBit = 32;  // of number 1, above the part
  static constexpr int kOwedBit = 48;   // of number 2, above the period

  static Reckoned in(const State& state) noexcept {
    const auto& numbers = state.numbers;
    return {numbers[0], numbers[1] & ((std::int64_t{1} << kCountBit) - 1), numbers[1] >> kCountBit,
            numbers[2] & ((std::int64_t{1} << kOwedBit) - 1), static_cast<int>(numbers[2] >> kOwedBit)};
  }
  void write(State& state) const noexcept {
    state.numbers = {whole, part | (count << kCountBit), period | (std::int64_t{owed} << kOwedBit)};
  }
};

/// What was used goes over to another rate as a count: how long as many tokens as `time` gained at the rate of `from`
/// take at that of `rule`. Exact where the periods are equal, else rounded down to a microsecond.
inline Span carried(Span time, const Reckoned& from, const Rule& rule) noexcept {
  const auto within = [](Wide whole) { return whole < Wide{kMostAhead.whole}; };
  if (const std::int64_t period = rule.rate.period.count(); period != from.period) {
    const Wide whole = Wide{time.whole} * period / from.period;
    time = within(whole) ? Span{static_cast<std::int64_t>(whole), 0} : kMostAhead;
  }
  if (const std::int64_t count = parts_of(rule); count != from.count) {
    const Wide parts = Wide{time.whole} * from.count + time.part;
    if (!within(parts / count)) return kMostAhead;
    return {static_cast<std::int64_t>(parts / count), static_cast<std::int64_t>(parts % count)};
  }
  return time;
}

enum Word : std::size_t { kWhole, kPart };  // of Words: room, below 0 in debt

/// How much may still be taken where the moment may lie at most `reach` ahead of now, but for a debt; below 0 in debt.
/// `stale` where it lies further, or was reckoned by another rate.
inline Span room_of(const State& state, const Rule& rule, Span reach, Instant now, bool& stale) noexcept {
  const Reckoned stored = Reckoned::in(state);
  Span ahead{stored.whole - now.time_since_epoch().count(), stored.part};
  if (ahead.whole < 0 || stored.count == 0) return reach;  // as if never used
  std::int64_t owed = stored.owed > 0 ? std::int64_t{1} << stored.owed : 0;
  if (stored.count != parts_of(rule) || stored.period != rule.rate.period.count()) {
    stale = true;
    ahead = carried(ahead, stored, rule);
    owed = carried({owed, 0}, stored, rule).whole;
  }
  const Span most = owed > 0 ? std::min(Span{reach.whole + owed, reach.part}, kMostAhead) : reach;
  if (ahead > most) {
    stale = true;
    ahead = most;
  }
  return minus(reach, ahead, parts_of(rule));
}

/// What is left of `room` after taking `cost`; below 0 where there is less.
inline Span left_of(Span room, const Rule& rule, std::int64_t cost, Span reach) noexcept {
  if (cost == 0) return room;
  const Span left = minus(room, increment_of(rule, cost), parts_of(rule));
  return cost < 0 && left > reach ? reach : left;  // more may be given back than was taken
}

/// What is left of `room` where `cost` is taken as `taken` says; `after` is left_of() it.
inline Span left_as_taken(Span room, Span after, const Rule& rule, Span reach, Taken taken) noexcept {
  if (taken == Taken::no) return room;
  if (taken == Taken::debt) return std::max(after, minus(reach, kMostAhead, parts_of(rule)));
  return after.whole < 0 && after < room ? std::min(room, Span{}) : after;
}

/// Algorithm::commit, where the moment may lie at most `reach` ahead but for a debt.
inline Instant take(State& state, const Rule& rule, std::int64_t cost, Taken taken, Span reach, Instant now,
                    const Outcome& outcome) noexcept {
  const Span room{outcome.words[kWhole], outcome.words[kPart]};
  const std::int64_t parts = parts_of(rule);
  const Span left = left_as_taken(room, left_of(room, rule, cost, reach), rule, reach, taken);
  const Span ahead = minus(reach, left, parts);
  state.numbers = {};  // never used, on whatever clock
  if (ahead > Span{}) {
    const auto debt = static_cast<std::uint64_t>(std::max<std::int64_t>(0, round_up(minus(ahead, reach, parts))));
    Reckoned{now.time_since_epoch().count() + ahead.whole, ahead.part, parts, rule.rate.period.count(),
             static_cast<int>(std::bit_width(debt))}
        .write(state);
  }
  return now + Duration(round_up(ahead));
}

/// Whether `room` is one that room_of can have found.
inline bool is_room(Span room, const Rule& rule, Span reach) noexcept {
  return room.part >= 0 && room.part < parts_of(rule) && room <= reach && room.whole >= reach.whole - kMostAhead.whole;
}

/// Algorithm::arguments: what token_bucket.lua and leaky_bucket.lua both describe.
void refill_arguments(const Rule& rule, std::int64_t cost, Instant now, ArgumentList& out);

/// Algorithm::check of both.
std::optional<RuleFault> check_refill(const Rule& rule);

}  // namespace headgate::limit
