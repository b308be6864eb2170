#pragma once
// Decides how many places are held free for requests of a higher priority: as many as the refusals of that priority
// show to be needed, provided that holding them costs only a small share of the answers. Used by shed/concurrency, and
// by gateway/steps/shed for places that all gateways or all workers share.

#include "headgate/core/time.hpp"
#include "headgate/shed/priority.hpp"

#include <array>
#include <chrono>
#include <cstdint>

namespace headgate::shed {

/// Trunk reservation, known from telephone exchanges, with adaptive reserves: a request of a lower priority is admitted
/// only while more places are free than are held for higher priorities. Each refusal of a higher priority makes its
/// reserve grow; the unused part shrinks over time. There is no fixed share: without other traffic, low requests may
/// use every place.
///
/// A place that is held free serves no request until one of the higher priority arrives. So each reserve has an
/// account: every admitted request pays a fraction of an answer into it, and every answer that was lost by holding
/// places free is taken from it. While the account is empty, the reserve holds nothing and shrinks. The loss is
/// estimated from the requests that were refused while a place was free: each of them would have used a place for about
/// the usual time, unless a later request was admitted only because of that refusal.
///
/// Reserves are fractions: a reserve of 1.3 holds one place, and for three requests in ten two places.
///
/// A state machine; the time is an argument. One thread. The owner counts the places.
class Headroom {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  /// The share of answers that held places may cost.
  static constexpr double kCost = 0.04;
  /// The same share if the places are an adaptive limit. An adaptive limit admits more requests than the servers
  /// process at once, and the excess waits in a queue there, so a held place hardly ever costs an answer.
  static constexpr double kCostOfQueued = 1;
  /// Interval of the checks whether the whole reserve is needed.
  static constexpr std::chrono::seconds kEvery{1};
  /// Number of checks for which an unused reserve is kept.
  static constexpr unsigned kQuiet = 10;

  /// `cost` is the share of answers that held places may cost.
  explicit Headroom(double cost = kCost) noexcept : cost_(cost) {}

  /// Returns how many places must still be free after the next request of this priority is admitted; 0 for critical
  /// requests.
  std::uint32_t held_from(Priority priority) const noexcept;
  /// Returns the number of taken places, out of `most`, up to which requests of this priority are admitted. `others` is
  /// the number of places that are not reserved for critical requests.
  std::uint32_t ceiling(Priority priority, std::uint32_t most, std::uint32_t others) const noexcept;
  /// Records that a request of this priority was admitted, and that `free` of all places are still free.
  void admitted(Priority priority, std::uint32_t free, Steady now) noexcept;
  /// Records that a request of this priority was refused, with `most` places in total. `free` is the number of further
  /// requests of this priority that would have fit if nothing was held free; it may be an estimate.
  void refused(Priority priority, std::uint32_t free, std::uint32_t most, Steady now) noexcept;
  /// Records that an admitted request has left its place after `held`.
  void ended(Duration held) noexcept;
  /// Returns whether any place is held free.
  bool holds() const noexcept;

 private:
  struct Reserve {
    double places = 0;
    double account = 1;  ///< Number of answers that may still be lost; negative if too many were lost.
    /// Requests that were refused because of the reserve and would otherwise be at the upstream now.
    double spared = 0;
    double deepest = 0;  ///< The largest part of `places` that was used in the current interval of kEvery.
    bool came = false;   ///< True if any request used the reserve in this interval.
    unsigned quiet = 0;  ///< Number of consecutive intervals without such a request.
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
  std::array<Reserve, kPriorities - 1> for_;  ///< A reserve for each priority above the lowest.
  double phase_ = 0;  ///< Phase in [0, 1) that decides whether a fraction of a place is held from the next request.
  double most_ = 0;   ///< The last known total of places.
  double usual_ = 0;  ///< Usual time for which a place is held, in seconds; 0 if unknown.
  Steady looked_{};
  Steady began_{};  ///< Start of the current interval of kEvery.
};

}  // namespace headgate::shed
