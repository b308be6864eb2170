#include "headgate/limit/denials.hpp"

#include "wide.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <bit>

namespace headgate::limit {
namespace {

/// Rules that answer alike have one size; others do not, but for odds of 2^-60.
std::uint64_t size_of(const Rule& rule) noexcept {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;
  std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(rule.algorithm);
  for (const std::uint64_t part : {rule.burst, rule.rate.count, static_cast<std::uint64_t>(rule.rate.period.count()),
                                   static_cast<std::uint64_t>(rule.wait.count())})
    mixed = std::rotl((mixed ^ part) * kOdd, 29);
  return mixed;
}

/// How long `tokens` take to come back, rounded up.
Duration time_of(std::int64_t tokens, const Rate& rate) noexcept {
  const auto count = static_cast<std::int64_t>(rate.count);
  const Wide time = (Wide{tokens} * rate.period.count() + count - 1) / count;
  return time < Wide{kNever.count()} ? Duration(static_cast<std::int64_t>(time)) : kNever;
}

Duration between(Moment from, Moment to) noexcept {
  return to > from ? std::chrono::ceil<Duration>(to - from) : Duration(0);
}

}  // namespace

void Denials::remember(const Ask& ask, const Verdict& verdict, Moment asked, Duration least) {
  const std::uint64_t size = size_of(*ask.rule);
  Denial* denial = table_.find(ask.hash);
  // One of a lower cost covers this one, as long as it lasts.
  if (denial != nullptr && denial->size == size && denial->cost < ask.cost && denial->until > asked) return;
  if (denial == nullptr)
    denial = table_.insert(
        ask.hash, [](const Denial& a, const Denial& b) { return a.until > b.until; },
        [](const Denial&) { return false; });
  const Duration wait = std::max(verdict.retry_after, least);
  denial->size = size;
  denial->cost = ask.cost;
  denial->limit = verdict.limit;
  denial->remaining = verdict.remaining;
  denial->until = asked + std::min(wait, kLongest);
  denial->allowed_at = verdict.retry_after == kNever ? Moment::max() : asked + wait;
  denial->full_at = asked + verdict.reset_after;
}

bool Denials::find(const Ask& ask, Moment now, Verdict& verdict) const {
  const Denial* const denial = table_.find(ask.hash);
  if (denial == nullptr || denial->until <= now || ask.cost < denial->cost || denial->size != size_of(*ask.rule))
    return false;
  verdict = {};
  verdict.limit = denial->limit;
  verdict.remaining = denial->remaining;
  verdict.reset_after = between(now, denial->full_at);
  if (denial->allowed_at == Moment::max() || ask.cost > static_cast<std::int64_t>(ask.rule->burst)) {
    verdict.retry_after = kNever;
  } else {
    const Duration same_cost = between(now, denial->allowed_at);
    const Duration longer = same_cost + time_of(ask.cost - denial->cost, ask.rule->rate);
    verdict.retry_after = std::max(same_cost, std::min(longer, verdict.reset_after));
  }
  return true;
}

void Denials::forget(const Hash& hash) noexcept {
  if (const Denial* const denial = table_.find(hash)) table_.erase(*denial);
}

}  // namespace headgate::limit
