// Token bucket, kept as GCRA: the bucket is known by the moment it will be full again. What lies between now and then
// was taken. lua/algorithms/token_bucket.lua is the same arithmetic, and says more of it.

#include "../wide.hpp"

#include "headgate/limit/algorithm.hpp"

#include <limits>

namespace headgate::limit {
namespace {

constexpr std::uint64_t kMostBurst =
    999'999'999'999'999;  // the largest integer a RateLimit field can carry (RFC 8941 section 3.3.1)
constexpr std::uint64_t kMostCount = 1'000'000'000;  // parse_rate's
constexpr Duration kLongestPeriod = std::chrono::hours(24) * 366;
constexpr Duration kLongestFill = kNever;  // now + this stays below 2^53 µs, exact in Lua, until 2155

/// A time of whole microseconds and `part` of one, in units of 1/rate.count; 0 <= part < rate.count. So that a token of
/// "7/second", 142857 1/7 µs, is exact.
struct Span {
  std::int64_t whole = 0;
  std::int64_t part = 0;
  auto operator<=>(const Span&) const = default;
};

Span minus(Span a, Span b, std::int64_t parts) noexcept {
  Span difference{a.whole - b.whole, a.part - b.part};
  if (difference.part < 0) difference = {difference.whole - 1, difference.part + parts};
  return difference;
}

std::int64_t round_up(Span span) noexcept { return span.whole + (span.part > 0 ? 1 : 0); }

std::int64_t parts_of(const Rule& rule) noexcept { return static_cast<std::int64_t>(rule.rate.count); }

/// How long the bucket takes to gain `tokens`, rounded down to a part; below 0 for tokens below 0.
Span time_of(std::int64_t tokens, const Rate& rate) noexcept {
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
std::uint64_t tokens_in(Span span, const Rate& rate) noexcept {
  const auto count = static_cast<std::int64_t>(rate.count);
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(span.whole, count, &product) && !__builtin_add_overflow(product, span.part, &product))
    return static_cast<std::uint64_t>(product / rate.period.count());
  return static_cast<std::uint64_t>((Wide{span.whole} * count + span.part) / rate.period.count());
}

Span tolerance_of(const Rule& rule) noexcept {
  if (rule.burst == rule.rate.count) return {rule.rate.period.count(), 0};
  return time_of(static_cast<std::int64_t>(rule.burst), rule.rate);
}

/// A cost beyond the burst is as impossible, or gives back as much, as one just beyond it; so increments stay small and
/// exact.
Span increment_of(const Rule& rule, std::int64_t cost) noexcept {
  const auto most = static_cast<std::int64_t>(rule.burst) + 1;
  return time_of(cost > most ? most : cost < -most ? -most : cost, rule.rate);
}

std::optional<RuleFault> check(const Rule& rule) {
  const Rate& rate = rule.rate;
  if (rate.count < 1 || rate.count > kMostCount || rate.period < Duration(1) || rate.period > kLongestPeriod)
    return RuleFault{"this rate cannot be counted", "a rate is 1 to 1000000000 requests in at most 366 days"};
  if (rule.burst < 1) return RuleFault{"a burst of 0 never allows a request", "write a burst of at least 1"};
  const Wide most = Wide{kLongestFill.count()} * rate.count / rate.period.count();
  if (rule.burst <= kMostBurst && Wide{rule.burst} <= most) return std::nullopt;
  const auto at_most = static_cast<std::uint64_t>(most < Wide{kMostBurst} ? most : Wide{kMostBurst});
  if (rule.burst > kMostBurst && at_most == kMostBurst)
    return RuleFault{"a burst of " + std::to_string(rule.burst) + " is too large to be told to callers",
                     "write at most " + std::to_string(kMostBurst)};
  return RuleFault{
      "a bucket of " + std::to_string(rule.burst) + " takes over a hundred years to fill at " + to_text(rate),
      at_most > 0 ? "lower the burst to at most " + std::to_string(at_most) + ", or raise the rate" : "raise the rate"};
}

enum Number : std::size_t { kWhole, kPart };  // of State and of Words

Outcome peek(const State& state, const Rule& rule, std::int64_t cost, Instant now) {
  const std::int64_t parts = parts_of(rule);
  const Span tolerance = tolerance_of(rule);
  Span ahead{state.numbers[kWhole] - now.time_since_epoch().count(), state.numbers[kPart]};
  if (ahead.part >= parts) ahead.part = 0;  // the rate has changed since
  if (ahead.whole < 0) ahead = {};          // full again
  Outcome outcome;
  if (ahead > tolerance) {
    ahead = tolerance;
    outcome.stale = true;
  }
  const Span room = minus(tolerance, ahead, parts);
  outcome.words = {room.whole, room.part};
  outcome.allowed = cost <= 0 || room >= increment_of(rule, cost);
  return outcome;
}

/// What is left of `room` after taking `cost`; below 0 where it does not fit.
Span left_of(Span room, const Rule& rule, std::int64_t cost) noexcept {
  if (cost == 0) return room;
  const Span left = minus(room, increment_of(rule, cost), parts_of(rule));
  if (cost > 0) return left;
  const Span tolerance = tolerance_of(rule);
  return left > tolerance ? tolerance : left;  // more was given back than taken
}

Instant commit(State& state, const Rule& rule, std::int64_t cost, Instant now, const Outcome& outcome) {
  const Span left = left_of({outcome.words[kWhole], outcome.words[kPart]}, rule, cost);
  const Span ahead = minus(tolerance_of(rule), left, parts_of(rule));
  state.numbers = {};  // never used: full, on whatever clock
  if (ahead > Span{}) state.numbers = {now.time_since_epoch().count() + ahead.whole, ahead.part};
  return now + Duration(round_up(ahead));
}

std::optional<Verdict> verdict(const Rule& rule, std::int64_t cost, Taken taken, std::span<const std::int64_t> words) {
  const Span room{words[kWhole], words[kPart]};
  const Span tolerance = tolerance_of(rule);
  if (room.whole < 0 || room.part < 0 || room.part >= parts_of(rule) || room > tolerance) return std::nullopt;
  const Span after = left_of(room, rule, cost);
  Verdict verdict;
  verdict.allowed = after.whole >= 0;
  const Span left = taken == Taken::yes ? after : room;
  verdict.limit = rule.burst;
  verdict.remaining = tokens_in(left, rule.rate);
  if (!verdict.allowed)  // -after rounded up is -after.whole, as its part counts upwards
    verdict.retry_after = cost > static_cast<std::int64_t>(rule.burst) ? kNever : Duration(-after.whole);
  verdict.reset_after = Duration(round_up(minus(tolerance, left, parts_of(rule))));
  return verdict;
}

void arguments(const Rule& rule, std::int64_t cost, Instant /*now*/, ArgumentList& out) {
  const Span tolerance = tolerance_of(rule);
  const Span increment = increment_of(rule, cost);
  out.add(tolerance.whole);
  out.add(tolerance.part);
  out.add(increment.whole);
  out.add(increment.part);
  out.add(rule.rate.count);
}

std::uint64_t usual_burst(const Rule& rule) { return rule.rate.count; }

std::string meaning(const Rule& rule, std::string_view noun) {
  return std::to_string(rule.rate.count) + std::string(noun) + ' ' + period_text(rule.rate) + " on average, " +
         std::to_string(rule.burst) + " at once";
}

}  // namespace

extern const Algorithm token_bucket;
const Algorithm token_bucket{.name = "token_bucket",
                             .words = 2,
                             .leasable = true,
                             .usual_burst = usual_burst,
                             .check = check,
                             .meaning = meaning,
                             .peek = peek,
                             .commit = commit,
                             .verdict = verdict,
                             .arguments = arguments};

}  // namespace headgate::limit
