#include "headgate/limit/settled.hpp"

#include "refill.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>

namespace headgate::limit {
namespace {

Duration bounded(Duration reset) noexcept { return std::clamp(reset, Duration(0), kNever); }

/// Returns whether a permit that is taken from an unused counter comes back after its own refill time. In a window, it
/// comes back together with the others.
bool comes_back_evenly(const Rule& rule) {
  const Instant any{Duration(1'795'238'424'123'456)};
  State state;
  const auto unused = rule.algorithm->peek(state, rule, 1, any);
  const auto back = rule.algorithm->commit(state, rule, 1, CommitMode::take, any, unused);
  return back - any == Duration(round_up(time_of(1, rule.rate)));
}

/// Returns the time of the reset for permits that come back one by one. Each permit changes that time by its own refill
/// time.
Duration evenly(const Decision& held, const Rule& rule, std::int64_t difference, How how, Duration since) noexcept {
  const auto more = increment_of(rule, difference);
  const auto reset = held.reset_after + Duration(difference < 0 ? round_up(more) : more.whole);
  if (difference < 0 || how == How::debt) return bounded(reset);
  const auto full = since + Duration(round_up(size_of(rule))) + rule.wait;  // a charge takes at most what is left
  return bounded(std::min(reset, std::max(held.reset_after, full)));
}

/// Returns the time of the reset for permits that come back with their window.
Duration by_window(const Decision& held, const Rule& rule, std::int64_t difference, How how, Duration since) noexcept {
  if (difference < 0) return held.remaining >= held.limit ? Duration(0) : held.reset_after;
  const auto reset = held.reset_after > Duration(0) ? held.reset_after : since + rule.rate.period;
  const bool beyond = rule.burst > rule.rate.count;  // permits of later windows may be taken as well
  if ((how != How::debt || held.remaining > 0) && !beyond) return reset;
  const auto most = std::max<std::int64_t>(static_cast<std::int64_t>(beyond ? rule.rate.count : held.limit), 1);
  // maximum number of windows that the debt uses up
  const auto windows = difference / most + (difference % most > 0 ? 1 : 0);
  return windows > (kNever - reset) / rule.rate.period ? kNever : reset + windows * rule.rate.period;
}

}  // namespace

Duration settled_reset(const Decision& held, const Rule& rule, std::int64_t difference, How how, Duration since) {
  if (difference == 0 || !rule.algorithm->refills) return held.reset_after;
  return comes_back_evenly(rule) ? evenly(held, rule, difference, how, since)
                                 : by_window(held, rule, difference, how, since);
}

}  // namespace headgate::limit
