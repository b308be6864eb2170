#pragma once
// The state of an overloaded upstream, shared by all workers of a process: how many shared places are held free for
// each priority, and which requests have been refused.

#include "headgate/shed/headroom.hpp"
#include "headgate/shed/priority.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace headgate::shed {

/// The overload of one upstream; it survives reloads. Any thread.
class Overload {
 public:
  using Steady = Headroom::Steady;
  /// Time without refusals after which the overload is over.
  static constexpr std::chrono::seconds kCalm{10};
  /// Interval at which one low request is treated as a normal request if the upstream has no adaptive limit. With an
  /// adaptive limit, Concurrency::kTrickle applies.
  static constexpr std::chrono::seconds kTrickle{1};

  // Functions for the places that workers share, like those of Headroom; `layer` is fleet or servers.

  std::uint32_t ceiling(Layer layer, Priority priority, std::uint32_t most, std::uint32_t others) const noexcept;
  void admitted(Layer layer, Priority priority, std::uint32_t free, Steady now) noexcept;
  void refused(Layer layer, Priority priority, std::uint32_t free, std::uint32_t most, Steady now) noexcept;
  void ended(Layer layer, Duration held) noexcept;

  /// Returns the priority that a request of `priority` is treated as at `now`. Changes nothing.
  Priority effective(Priority priority, Steady now) const noexcept;
  /// Records that a low request that counted as normal was admitted.
  void trickled(Steady now) noexcept;

  /// Records that a layer refused a request.
  void shed(Layer layer, Priority priority, Steady now) noexcept;
  /// Describes the refusals, for example "2 normal, 13 low refused since it began: no server has a free place"; empty
  /// if nothing was refused for kCalm.
  std::optional<std::string> in_words(Steady now);

 private:
  struct Shared {
    mutable std::mutex mutex;
    Headroom headroom;
    std::atomic<bool> holds{false};  ///< True if places are held free. If false, as most of the time, no lock is taken.
  };
  Shared& shared(Layer layer) noexcept { return layer == Layer::fleet ? fleet_ : servers_; }
  const Shared& shared(Layer layer) const noexcept { return layer == Layer::fleet ? fleet_ : servers_; }

  Shared fleet_;
  Shared servers_;
  std::atomic<Steady::rep> trickled_{0};
  std::mutex mutex_;
  Steady last_{};
  std::array<std::uint64_t, kLayers> by_layer_{};
  std::array<std::uint64_t, kPriorities> by_priority_{};
};

}  // namespace headgate::shed
