#include "headgate/load/timetable.hpp"

#include <algorithm>
#include <cmath>

namespace headgate::load {
namespace {

constexpr double kBurst = 10;  // multiple of the rate
constexpr double kBurstEvery = 10;
constexpr double kBurstAt = 3;
constexpr double kBurstLasts = 1;
constexpr double kAttack = 5;  // multiple of the rate, in addition to it
constexpr double kAttackAt = 3;
constexpr double kSaleEvery = 60;
constexpr double kSaleAt = 3;
constexpr double kSale = 10;  // multiple of the rate, at its first moment
constexpr double kSaleHalves = 4;
constexpr double kQuiet = 0.1;

double seconds_of(Duration time) noexcept { return std::chrono::duration<double>(time).count(); }

/// Returns the multiple of the rate at this time.
double factor_at(Like like, double at) noexcept {
  switch (like) {
    case Like::steady:
      break;
    case Like::burst: {
      const auto in = std::fmod(at, kBurstEvery);
      return in >= kBurstAt && in < kBurstAt + kBurstLasts ? kBurst : 1;
    }
    case Like::attack:
      return at >= kAttackAt ? 1 + kAttack : 1;
    case Like::flash_sale: {
      const auto in = std::fmod(at, kSaleEvery) - kSaleAt;
      return kQuiet + (in < 0 ? 0 : kSale * std::exp2(-in / kSaleHalves));
    }
  }
  return 1;
}

double max_factor(Like like) noexcept {
  switch (like) {
    case Like::steady:
      break;
    case Like::burst:
      return kBurst;
    case Like::attack:
      return 1 + kAttack;
    case Like::flash_sale:
      return kQuiet + kSale;
  }
  return 1;
}

}  // namespace

std::uint32_t attackers(Like like, std::uint32_t callers) noexcept {
  return like == Like::attack ? std::max(1U, callers / 20) : 0;
}

double rate_at(const TimetableOptions& options, Duration at) noexcept {
  return options.rate * factor_at(options.like, seconds_of(at));
}

Timetable::Timetable(const TimetableOptions& options)
    : options_(options), most_(options.rate * max_factor(options.like)), random_(options.seed) {
  take();
}

/// Makes a Poisson process with a changing rate: takes arrivals at the highest rate, and drops some of them (thinning;
/// Lewis and Shedler, 1979).
void Timetable::take() {
  next_.reset();
  const auto end = seconds_of(options_.length);
  while (true) {
    at_ -= std::log(1 - random_.even()) / most_;
    if (at_ >= end) return;
    const auto rate = options_.rate * factor_at(options_.like, at_);
    if (random_.even() * most_ < rate) break;
  }
  const auto draw = [this](std::uint32_t of) {
    return std::min(static_cast<std::uint32_t>(random_.even() * of), of - 1);
  };
  next_.emplace();
  next_->at = Duration(static_cast<Duration::rep>(at_ * 1e6));
  if (options_.like == Like::flash_sale) {
    next_->caller = visitor_ + 1;  // every request comes from a new caller, until each caller has sent one
    visitor_ = (visitor_ + 1) % options_.callers;
    return;
  }
  next_->attacks = options_.like == Like::attack && at_ >= kAttackAt && random_.even() * (1 + kAttack) < kAttack;
  next_->caller = next_->attacks ? options_.callers + 1 + draw(attackers(options_.like, options_.callers))
                                 : 1 + draw(options_.callers);
}

}  // namespace headgate::load
