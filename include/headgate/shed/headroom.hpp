#pragma once
// How many places are held free for requests of a higher priority: as many as it needs, found from its refusals, and no
// more than a small share of the answers pays for. Used by shed/concurrency, and by gateway/steps/shed for places that
// all gateways or all workers share.

#include "headgate/core/time.hpp"
#include "headgate/shed/priority.hpp"

#include <array>
#include <chrono>
#include <cstdint>

namespace headgate::shed {

/// Trunk reservation, as telephone exchanges have it, with reserves that adapt themselves: a request of a lower
/// priority is admitted only while more places are free than are held for the higher ones. Each refusal of a higher
/// priority makes its reserve grow; what it does not use of it melts. So there is no fixed share: with nobody else a
/// low request may use every place.
///
/// A place that is held free serves nobody until somebody comes for it. So each reserve has an account: every admitted
/// request pays a part of an answer into it, and every answer that holding places free has cost is taken from it. While
/// an account is empty its reserve holds nothing, and it shrinks. What it has cost is known from the requests that were
/// refused while a place was free: each would have had a place, and have ended about as others do, unless a request
/// came meanwhile that only got its place because of that refusal.
///
/// Reserves are fractions: a reserve of 1.3 holds one place, and two for three requests of ten.
///
/// A state machine on a clock that is an argument; one thread. It counts no places, its owner does.
class Headroom {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  /// The share of the answers that holding places free may cost.
  static constexpr double kCost = 0.04;
  /// The same where the places are an adaptive limit: most of what it allows beyond the servers' own places waits
  /// there, so a place that is held free is hardly ever one that would have answered.
  static constexpr double kCostOfQueued = 1;
  /// How often it looks whether all of a reserve is needed.
  static constexpr std::chrono::seconds kEvery{1};
  /// For how long a reserve stays although nobody comes for it.
  static constexpr unsigned kQuiet = 10;

  /// `cost` is the share of the answers that it may cost.
  explicit Headroom(double cost = kCost) noexcept : cost_(cost) {}

  /// How many places must stay free when the next request of this priority is admitted. None for critical ones.
  std::uint32_t held_from(Priority priority) const noexcept;
  /// How many places may be in use where there are `most`, of which `others` are not only for critical requests.
  std::uint32_t ceiling(Priority priority, std::uint32_t most, std::uint32_t others) const noexcept;
  /// A request of this priority was admitted, and so many of all places are free after it.
  void admitted(Priority priority, std::uint32_t free, Steady now) noexcept;
  /// A request of this priority was refused, of `most` places. `free`: how many more requests of this priority there
  /// could have been if nothing was held free; an estimate if it is not known.
  void refused(Priority priority, std::uint32_t free, std::uint32_t most, Steady now) noexcept;
  /// A request that was admitted has left its place.
  void ended(Duration held) noexcept;
  /// Returns whether any place is held free.
  bool holds() const noexcept;

 private:
  struct Reserve {
    double places = 0;
    double account = 1;  ///< how many answers it may cost yet; below 0 it has cost too much
    double spared = 0;   ///< requests refused because of it that would be at the upstream now
    double deepest = 0;  ///< the most of `places` that was in use in the present time of kEvery
    bool came = false;   ///< whether anybody came for them in it
    unsigned quiet = 0;  ///< how often in a row nobody came
  };

  void look(Steady now) noexcept;
  void pay() noexcept;
  void turn_phase() noexcept;
  static void melt(Reserve& reserve, unsigned passed) noexcept;
  void spare_at_most(double free) noexcept;
  double places_from(Priority priority) const noexcept;
  Reserve* reserve_of(Priority priority) noexcept;
  Reserve* held_by(Priority priority, std::uint32_t free) noexcept;

  double cost_;
  std::array<Reserve, kPriorities - 1> for_;  ///< for each priority that has a lower one
  double phase_ = 0;                          ///< in [0, 1): whether a part of a place is held from the next request
  double most_ = 0;                           ///< places, as it was told last
  double usual_ = 0;                          ///< how long a place is held, in seconds; 0: not known
  Steady looked_{};
  Steady began_{};  ///< of the present time of kEvery
};

}  // namespace headgate::shed
