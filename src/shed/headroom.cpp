#include "headgate/shed/headroom.hpp"

#include <algorithm>

namespace headgate::shed {
namespace {

/// What a refusal adds, as a share of all places; at least one place.
constexpr double kStep = 0.05;
/// What goes in each second of a reserve that is not needed: of the rest beyond what was used, and a place more.
constexpr double kMelts = 0.2;
/// What goes of it in each second when nobody has come for kQuiet.
constexpr double kForgets = 0.5;

}  // namespace

std::uint32_t Headroom::held_for(Priority priority) const noexcept {
  return priority == Priority::low ? 0 : static_cast<std::uint32_t>(for_[static_cast<std::size_t>(priority)].places);
}

std::uint32_t Headroom::ceiling(Priority priority, std::uint32_t most, std::uint32_t others) const noexcept {
  if (priority == Priority::critical) return most;
  const auto less = [](std::uint32_t from, std::uint32_t by) { return by >= from ? 1 : from - by; };
  const auto normal = std::min(others, less(most, held_for(Priority::critical)));
  return priority == Priority::normal ? normal : less(normal, held_for(Priority::normal));
}

void Headroom::admitted(Priority priority, std::uint32_t more, Steady now) noexcept {
  for (auto& reserve : for_) look(reserve, now);
  if (priority == Priority::low) return;
  auto& reserve = for_[static_cast<std::size_t>(priority)];
  reserve.came = true;
  reserve.deepest = std::max(reserve.deepest, reserve.places - more);
}

void Headroom::refused(Priority priority, std::uint32_t most, Steady now) noexcept {
  for (auto& reserve : for_) look(reserve, now);
  if (priority == Priority::low) return;
  auto& reserve = for_[static_cast<std::size_t>(priority)];
  reserve.came = true;
  reserve.places = std::min<double>(most, reserve.places + std::max(1.0, kStep * most));
  reserve.deepest = reserve.places;
}

bool Headroom::holds() const noexcept {
  return std::any_of(for_.begin(), for_.end(), [](const Reserve& reserve) { return reserve.places > 0; });
}

void Headroom::look(Reserve& reserve, Steady now) noexcept {
  if (reserve.places == 0) return;
  if (reserve.began == Steady()) reserve.began = now;
  if (now - reserve.began < kEvery) return;
  const auto passed = static_cast<unsigned>(std::min<std::int64_t>((now - reserve.began) / kEvery, 60));
  if (reserve.came) {
    reserve.quiet = 0;
    reserve.places -= kMelts * std::max(0.0, reserve.places - reserve.deepest - 1);
  } else {
    reserve.quiet += passed;
    if (reserve.quiet >= kQuiet) reserve.places *= kForgets;
    if (reserve.places < 1) reserve.places = 0;
  }
  reserve.began = now;
  reserve.deepest = 0;
  reserve.came = false;
}

}  // namespace headgate::shed
