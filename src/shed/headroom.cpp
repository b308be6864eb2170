#include "headgate/shed/headroom.hpp"

#include <algorithm>
#include <cmath>

namespace headgate::shed {
namespace {

/// For each refusal a reserve grows by this part of a place, or by a share of all places if that is more.
constexpr double kStep = 0.25;
constexpr double kStepShare = 0.02;
/// Share of an unused reserve that is dropped per second.
constexpr double kMelts = 0.2;
/// Share of a reserve that is dropped each time it would have held a place free while its account is empty.
constexpr double kUnpaid = 0.1;
/// Share of a reserve that is dropped per second when no request has used it for kQuiet.
constexpr double kForgets = 0.5;
constexpr double kSmallest = 0.05;
/// The maximum of an account: one answer, plus one for each twenty places.
constexpr double kSaved = 0.05;
constexpr double kUsualWeight = 1.0 / 32;
// A step whose multiples are spread evenly over [0, 1): the golden ratio.
constexpr double kGolden = 0.6180339887498949;

double in_seconds(std::chrono::steady_clock::duration time) noexcept {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

Headroom::Reserve* Headroom::reserve_of(Priority priority) noexcept {
  return priority == Priority::low ? nullptr : &for_[static_cast<std::size_t>(priority)];
}

double Headroom::places_from(Priority priority) const noexcept {
  double out = 0;
  for (std::size_t higher = 0; higher < static_cast<std::size_t>(priority); ++higher)
    if (for_[higher].account > 0) out += for_[higher].places;
  return out;
}

std::uint32_t Headroom::held_from(Priority priority) const noexcept {
  return static_cast<std::uint32_t>(places_from(priority) + phase_);
}

std::uint32_t Headroom::ceiling(Priority priority, std::uint32_t most, std::uint32_t others) const noexcept {
  if (priority == Priority::critical) return most;
  return std::min(others, most - std::min(most, held_from(priority)));
}

void Headroom::admitted(Priority priority, std::uint32_t free, Steady now) noexcept {
  look(now);
  spare_at_most(free);
  pay();
  double held = phase_;
  for (std::size_t higher = 0; higher < static_cast<std::size_t>(priority); ++higher) {
    auto& reserve = for_[higher];
    held += reserve.places;
    if (reserve.account <= 0 && held >= free + 1.0) reserve.places *= 1 - kUnpaid;
  }
  if (auto* const reserve = reserve_of(priority)) {
    reserve->came = true;
    reserve->deepest = std::max(reserve->deepest, reserve->places - free);
  }
  turn_phase();
}

void Headroom::refused(Priority priority, std::uint32_t free, std::uint32_t most, Steady now) noexcept {
  look(now);
  most_ = most;
  spare_at_most(free);
  if (auto* const by = held_by(priority, free))
    // Without the reserve, the requests that were spared before would be in progress. If these alone fill all free
    // places, this request would have been refused, too.
    by->spared += std::clamp(free - for_[0].spared - for_[1].spared, 0.0, 1.0);
  if (auto* const reserve = reserve_of(priority)) {
    reserve->came = true;
    reserve->places = std::min<double>(most, reserve->places + std::max(kStep, kStepShare * most));
    reserve->deepest = reserve->places;
  }
  turn_phase();
}

/// Returns the reserve that, together with those before it, keeps a request from the free places; null if none does.
Headroom::Reserve* Headroom::held_by(Priority priority, std::uint32_t free) noexcept {
  const auto count = static_cast<std::size_t>(priority);
  double held = phase_;
  for (std::size_t i = 0; i < count; ++i) {
    // The last reserve counts even if its account is empty, because the account may have become empty just now.
    const bool last = i + 1 == count;
    if (for_[i].account > 0 || last) held += for_[i].places;
    if (free > 0 && held >= free) return &for_[i];
  }
  return nullptr;
}

void Headroom::ended(Duration held) noexcept {
  const double took = in_seconds(held);
  usual_ = usual_ == 0 ? took : usual_ + kUsualWeight * (took - usual_);
}

bool Headroom::holds() const noexcept {
  return std::any_of(for_.begin(), for_.end(), [](const Reserve& reserve) { return reserve.places > 0; });
}

/// Half of the budget goes to each reserve, and all of it to one if the other has saved enough.
void Headroom::pay() noexcept {
  const double most = 1 + kSaved * most_;
  const bool full[] = {for_[0].account >= most, for_[1].account >= most};
  for (std::size_t i = 0; i < for_.size(); ++i)
    for_[i].account = std::min(most, for_[i].account + (full[1 - i] ? cost_ : cost_ / 2));
}

/// Lowers the number of spared requests to `free`. If fewer places are free than requests were spared, requests that
/// were admitted later have taken the places of the others.
void Headroom::spare_at_most(double free) noexcept {
  const double spared = for_[0].spared + for_[1].spared;
  if (spared <= free) return;
  for (auto& reserve : for_) reserve.spared *= free / spared;
}

void Headroom::turn_phase() noexcept { phase_ += phase_ + kGolden < 1 ? kGolden : kGolden - 1; }

void Headroom::look(Steady now) noexcept {
  if (looked_ == Steady()) looked_ = began_ = now;
  now = std::max(now, looked_);  // Another worker may have called this function with a later time.
  const double usual = usual_ > 0 ? usual_ : in_seconds(kEvery);
  const double ended = 1 - std::exp(-in_seconds(now - looked_) / usual);
  looked_ = now;
  for (auto& reserve : for_) {
    const double lost = reserve.spared * ended;
    reserve.spared -= lost;
    reserve.account -= lost;
  }
  if (now - began_ < kEvery) return;
  for (auto& reserve : for_) melt(reserve, static_cast<unsigned>(std::min<std::int64_t>((now - began_) / kEvery, 60)));
  began_ = now;
}

void Headroom::melt(Reserve& reserve, unsigned passed) noexcept {
  if (reserve.came) {
    reserve.quiet = 0;
    reserve.places -= kMelts * std::max(0.0, reserve.places - reserve.deepest);
  } else {
    reserve.quiet += passed;
    if (reserve.quiet >= kQuiet) reserve.places *= kForgets;
  }
  if (reserve.places < kSmallest) reserve.places = 0;
  reserve.deepest = 0;
  reserve.came = false;
}

}  // namespace headgate::shed
