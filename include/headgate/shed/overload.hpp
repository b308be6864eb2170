#pragma once
// What all workers of a process know together of an upstream that has too many requests: how many of its shared places
// are held free for which priority, and who is refused since when.

#include "headgate/shed/headroom.hpp"
#include "headgate/shed/priority.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace headgate::shed {

/// Of one upstream; a reload keeps it. Any thread.
class Overload {
 public:
  using Steady = Headroom::Steady;
  /// It is over when nobody was refused for so long.
  static constexpr std::chrono::seconds kCalm{10};
  /// How often one low request is treated as a normal one, where no worker counts (Concurrency::kTrickle).
  static constexpr std::chrono::seconds kTrickle{1};

  // Places that workers share: `layer` is fleet or servers. As the functions of Headroom.

  std::uint32_t ceiling(Layer layer, Priority priority, std::uint32_t most, std::uint32_t others) const noexcept;
  void admitted(Layer layer, Priority priority, std::uint32_t free, Steady now) noexcept;
  void refused(Layer layer, Priority priority, std::uint32_t free, std::uint32_t most, Steady now) noexcept;
  void ended(Layer layer, Duration held) noexcept;

  /// What `priority` counts as at `now`. Changes nothing.
  Priority effective(Priority priority, Steady now) const noexcept;
  /// A low request that was treated as normal was admitted.
  void trickled(Steady now) noexcept;

  /// A request was refused by this layer, whichever.
  void shed(Layer layer, Priority priority, Steady now) noexcept;
  /// Who is refused and why, as "2 normal, 13 low refused since it began: no server has a free place"; nothing if
  /// nobody was for kCalm.
  std::optional<std::string> in_words(Steady now);

 private:
  struct Shared {
    mutable std::mutex mutex;
    Headroom headroom;
    std::atomic<bool> holds{false};  ///< whether it holds anything free; mostly not, and then nobody locks
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
