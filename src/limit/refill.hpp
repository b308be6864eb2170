#pragma once
// The arithmetic of token_bucket and leaky_bucket. The state of a bucket is that of GCRA: the moment at which the
// bucket will equal an unused one. The distance from now to that moment is the use of the bucket, expressed as the time
// in which it refills.

#include "count_pair.hpp"
#include "wide.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>

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

/// Returns the time in which `tokens` refill, rounded down to a part; below 0 for negative tokens.
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

/// Returns how many whole tokens refill in `span` (0 or more), at most 2^62.
inline std::uint64_t tokens_in(ExactDuration span, const Rate& rate) noexcept {
  const auto count = static_cast<std::int64_t>(rate.count);
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(span.whole, count, &product) && !__builtin_add_overflow(product, span.part, &product))
    return static_cast<std::uint64_t>(product / rate.period.count());
  const Wide tokens = (Wide{span.whole} * count + span.part) / rate.period.count();
  return static_cast<std::uint64_t>(std::min(tokens, Wide{1} << 62));
}

/// Returns the time in which an empty bucket fills.
inline ExactDuration size_of(const Rule& rule) noexcept {
  if (rule.burst == rule.rate.count) return {rule.rate.period.count(), 0};
  return time_of(static_cast<std::int64_t>(rule.burst), rule.rate);
}

inline ExactDuration wait_of(const Rule& rule) noexcept { return {rule.wait.count(), 0}; }

/// Maximum distance of the moment from now. No rule exceeds it, and the part of a debt beyond it is dropped. With this
/// maximum, the moment stays below 2^53 µs until 2155, so it is exact in Lua.
inline constexpr ExactDuration kMaxAhead{(kNever + std::chrono::minutes(1)).count(), 0};

/// Returns the time in which `cost` refills, at most kMaxAhead in either direction.
inline ExactDuration increment_of(const Rule& rule, std::int64_t cost) noexcept {
  std::int64_t product = 0;  // not less than the returned time
  if (!__builtin_mul_overflow(cost, rule.rate.period.count(), &product) && product <= kMaxAhead.whole &&
      product >= -kMaxAhead.whole)
    return time_of(cost, rule.rate);
  const Wide whole = Wide{cost} * rule.rate.period.count() / parts_of(rule);
  if (whole >= Wide{kMaxAhead.whole}) return kMaxAhead;
  if (whole <= -Wide{kMaxAhead.whole}) return {-kMaxAhead.whole, 0};
  return time_of(cost, rule.rate);
}

/// Returns whether a cost can ever be allowed. A cost that exceeds the burst cannot, however long it waits.
inline bool fits(const Rule& rule, std::int64_t cost) noexcept { return cost <= static_cast<std::int64_t>(rule.burst); }

/// The content of a bucket's State: the moment, the rate with which it was computed, and its distance when it was
/// written. On one clock, the distance can only decrease, so a larger distance now shows that the clock of the writer
/// was ahead.
struct BucketContent {
  std::int64_t whole = 0;  ///< whole microseconds of the moment, since the epoch
  std::int64_t part = 0;   ///< fraction of the moment, in units of 1/count microseconds
  std::int64_t count = 0;
  std::int64_t period = 0;
  std::int64_t distance = 0;  ///< distance when it was written, without the part

  // The bits of the pair that find no room in numbers[1] are above a period, which is below 2^45, and a distance, which
  // is below 2^52.
  static constexpr int kPeriodBits = 45;
  static constexpr int kBitsAbovePeriod = 18;
  static constexpr int kDistanceBits = 52;

  static BucketContent in(const State& state) noexcept {
    const auto& numbers = state.numbers;
    const std::int64_t more = numbers[2] >> kPeriodBits | state.log.number() >> kDistanceBits << kBitsAbovePeriod;
    const CountPair pair = CountPair::in(numbers[1], more);
    return {.whole = numbers[0],
            .part = pair.first,
            .count = pair.second,
            .period = lowest_bits(numbers[2], kPeriodBits),
            .distance = lowest_bits(state.log.number(), kDistanceBits)};
  }
  void write(State& state) const noexcept {
    const CountPair pair{part, count};
    const std::int64_t above_period = lowest_bits(pair.more(), kBitsAbovePeriod);
    state.numbers = {whole, pair.usual(), period | above_period << kPeriodBits};
    state.log.set_number(distance | pair.more() >> kBitsAbovePeriod << kDistanceBits);
  }
};

/// A rate as a count per period, of a rule or of a stored moment.
struct RefillRate {
  std::int64_t count;
  std::int64_t period;
  bool operator==(const RefillRate&) const = default;
  /// Compares as doubles, as the script does.
  bool slower_than(const RefillRate& other) const noexcept {
    return static_cast<double>(count) * static_cast<double>(other.period) <
           static_cast<double>(other.count) * static_cast<double>(period);
  }
};
inline RefillRate pace_of(const Rule& rule) noexcept { return {parts_of(rule), rule.rate.period.count()}; }

enum class Rounding : bool { down, up };

/// Returns the time that the pace `to` needs for the tokens that refill in `time` at the pace `from`, rounded to a part
/// of `to`.
inline ExactDuration converted(ExactDuration time, const RefillRate& from, const RefillRate& to,
                               Rounding round) noexcept {
  const Wide product = Wide{time.whole} * from.count + time.part;
  const Wide tokens = product / from.period;
  if (tokens >= Wide{1} << 53) return kMaxAhead;
  const Wide rest = product % from.period * to.period + (round == Rounding::up ? from.period - 1 : 0);
  const Wide parts = tokens * to.period + rest / from.period;
  const Wide whole = parts / to.count;
  if (whole >= Wide{kMaxAhead.whole}) return kMaxAhead;
  return {static_cast<std::int64_t>(whole), static_cast<std::int64_t>(parts % to.count)};
}

/// Returns the distance of the moment at the rate of the rule, so that the use is the same number of tokens. Since the
/// moment was written, tokens have come back at the faster of the two paces.
inline ExactDuration carried(ExactDuration ahead, const BucketContent& stored, const RefillRate& to) noexcept {
  const RefillRate from{stored.count, stored.period};
  if (to.slower_than(from)) return converted(ahead, from, to, Rounding::up);
  ExactDuration out = converted({stored.distance, ahead.part}, from, to, Rounding::up);
  out.whole -= stored.distance - ahead.whole;
  return std::max(out, ExactDuration{});
}

/// Indexes of Words. kWhole and kPart are the room, which is negative if there is a debt. kWait is the wait of a
/// rejected cost if the moment was written at a faster pace than that of the rule, and otherwise 0.
enum RefillWord : std::size_t { kWhole, kPart, kWait };

/// Returns the room: the cost that may still be taken, as a time. It is negative if there is a debt, or if a larger
/// bucket has taken more than this one holds; the excess use stays counted for the larger bucket. Sets `stale` if the
/// moment was written by a clock that is ahead.
inline ExactDuration room_of(const State& state, const Rule& rule, ExactDuration reach, Instant now,
                             bool& stale) noexcept {
  const BucketContent stored = BucketContent::in(state);
  ExactDuration ahead{stored.whole - now.time_since_epoch().count(), stored.part};
  if (ahead.whole < 0 || stored.count == 0) return reach;  // the counter is treated like an unused one
  if (ahead.whole > stored.distance) {
    stale = true;
    ahead.whole = stored.distance;
  }
  if (const RefillRate pace = pace_of(rule); pace != RefillRate{stored.count, stored.period})
    ahead = carried(ahead, stored, pace);
  return minus(reach, std::min(ahead, kMaxAhead), parts_of(rule));
}

/// Returns the time until at most `most` is used, if the moment was written at a faster pace than that of the rule.
/// Otherwise returns 0, because the time then follows from the room.
inline std::int64_t wait_at_faster_pace(const State& state, const Rule& rule, ExactDuration most,
                                        Instant now) noexcept {
  const BucketContent stored = BucketContent::in(state);
  const RefillRate from{stored.count, stored.period};
  if (stored.count == 0 || !pace_of(rule).slower_than(from)) return 0;
  ExactDuration ahead{stored.whole - now.time_since_epoch().count(), stored.part};
  if (ahead.whole < 0) return 0;
  ahead.whole = std::min(ahead.whole, stored.distance);
  return std::max<std::int64_t>(
      round_up(minus(ahead, converted(most, pace_of(rule), from, Rounding::down), from.count)), 0);
}

/// Returns the rest of `room` after `cost`; below 0 if `cost` is more than `room`.
inline ExactDuration left_of(ExactDuration room, const Rule& rule, std::int64_t cost, ExactDuration reach) noexcept {
  if (cost == 0) return room;
  const ExactDuration left = minus(room, increment_of(rule, cost), parts_of(rule));
  return cost < 0 && left > reach ? reach : left;  // more may be given back than was taken
}

/// Returns the rest of `room` after `mode` was applied. `after` is the result of left_of().
inline ExactDuration left_as_taken(ExactDuration room, ExactDuration after, const Rule& rule, ExactDuration reach,
                                   CommitMode mode) noexcept {
  if (mode == CommitMode::none) return room;
  if (mode == CommitMode::debt) return std::max(after, minus(reach, kMaxAhead, parts_of(rule)));
  return after.whole < 0 && after < room ? std::min(room, ExactDuration{}) : after;
}

/// Returns whether a rejected attempt changed the counter. If so, the counter was written at the pace of the rule, so
/// the wait follows from the room that is left.
inline bool is_drained(ExactDuration room, ExactDuration left, CommitMode mode) noexcept {
  return mode == CommitMode::attempt && left != room;
}

/// Implements Algorithm::commit.
inline Instant take(State& state, const Rule& rule, std::int64_t cost, CommitMode mode, ExactDuration reach,
                    Instant now, const Outcome& outcome) noexcept {
  const ExactDuration room{outcome.words[kWhole], outcome.words[kPart]};
  const std::int64_t parts = parts_of(rule);
  const ExactDuration left = left_as_taken(room, left_of(room, rule, cost, reach), rule, reach, mode);
  const ExactDuration ahead = minus(reach, left, parts);
  if (left == room && ahead > ExactDuration{} && !outcome.stale) return now + Duration(round_up(ahead));
  state.numbers = {};  // unused by any clock
  if (ahead > ExactDuration{}) {
    const BucketContent reckoned{.whole = now.time_since_epoch().count() + ahead.whole,
                                 .part = ahead.part,
                                 .count = parts,
                                 .period = rule.rate.period.count(),
                                 .distance = ahead.whole};
    reckoned.write(state);
  }
  return now + Duration(round_up(ahead));
}

/// Returns whether room_of can have returned `room`.
inline bool is_room(ExactDuration room, const Rule& rule, ExactDuration reach) noexcept {
  return room.part >= 0 && room.part < parts_of(rule) && room <= reach && room.whole >= reach.whole - kMaxAhead.whole;
}

/// Returns whether wait_at_faster_pace can have returned `wait`.
inline bool is_wait(std::int64_t wait) noexcept { return wait >= 0 && wait <= 2 * kMaxAhead.whole; }

/// Implements Algorithm::arguments for token bucket and leaky bucket, as token_bucket.lua and leaky_bucket.lua describe
/// them.
void refill_arguments(const Check& check, Instant now, ArgumentList& out);

/// Implements Algorithm::check for token bucket and leaky bucket.
std::optional<RuleFault> check_refill(const Rule& rule);

}  // namespace headgate::limit
