#pragma once
// How many places are held free for requests of a higher priority: as many as it needs, found from its refusals. Used
// by shed/concurrency, and by gateway/steps/shed for places that all gateways or all workers share.

#include "headgate/shed/priority.hpp"

#include <array>
#include <chrono>
#include <cstdint>

namespace headgate::shed {

/// Trunk reservation, as telephone exchanges have it, with reserves that adapt themselves: a request
/// of a lower priority is admitted only while more places are free than are held for the higher ones. Each refusal of a
/// higher priority makes its reserve grow at once; while it does not need all of that, the rest melts. So there is no
/// fixed share: with nobody else a low request may use every place.
///
/// A state machine on a clock that is an argument; one thread. It counts no places, its owner does.
class Headroom {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  /// How often it looks whether all of a reserve is needed.
  static constexpr std::chrono::seconds kEvery{1};
  /// For how long a reserve stays although nobody comes for it.
  static constexpr unsigned kQuiet = 10;

  /// How many places are held free for requests of this priority. None for low ones.
  std::uint32_t held_for(Priority priority) const noexcept;
  /// How many places may be in use, at least 1, where there are `most`, of which `others` are not only for critical
  /// requests.
  std::uint32_t ceiling(Priority priority, std::uint32_t most, std::uint32_t others) const noexcept;
  /// A request of this priority was admitted, and so many more of it would have been at this moment.
  void admitted(Priority priority, std::uint32_t more, Steady now) noexcept;
  /// A request of this priority was refused, of `most` places.
  void refused(Priority priority, std::uint32_t most, Steady now) noexcept;
  /// Whether it holds any place free.
  bool holds() const noexcept;

 private:
  struct Reserve {
    double places = 0;
    Steady began{};      ///< of the present time of kEvery
    double deepest = 0;  ///< the most of `places` that was in use in it
    bool came = false;   ///< whether anybody came for them in it
    unsigned quiet = 0;  ///< how often in a row nobody came
  };

  void look(Reserve& reserve, Steady now) noexcept;

  std::array<Reserve, kPriorities - 1> for_;  ///< for each priority that has a lower one
};

}  // namespace headgate::shed
