#pragma once
// The concurrent requests of one worker at one upstream: how many may run at the same time, and at which priorities.
// Admission is decided here. Requests that wait for a place are in a queue in front of the upstream.

#include "headgate/shed/fair_queue.hpp"
#include "headgate/shed/gradient.hpp"
#include "headgate/shed/headroom.hpp"
#include "headgate/shed/priority.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

namespace headgate::shed {

/// Requests that wait for a place instead of being refused at once.
struct QueueOptions {
  std::uint32_t length = 100;                      ///< Maximum number of waiting requests per worker.
  Duration wait = std::chrono::milliseconds(500);  ///< Longest wait.
  bool operator==(const QueueOptions&) const = default;
};

/// The concurrency settings of an upstream.
struct ConcurrencyOptions {
  std::optional<ConcurrencyRange> adaptive{};  ///< Range of each worker's adaptive limit; not set if there is none.
  /// Maximum number of concurrent requests of all gateways or all workers; 0 for no limit.
  std::uint32_t in_flight = 0;
  /// Queue in front of the adaptive limit; if not set, excess requests are refused at once.
  std::optional<QueueOptions> queue{};
  std::uint32_t reserved = 0;  ///< Share of the places that only critical requests may use, in millionths (kWhole).
  static constexpr std::uint32_t kWhole = 1'000'000;
  bool operator==(const ConcurrencyOptions&) const = default;
};

/// Returns how many of the `limit` places each priority may use. Critical requests may use all of them. Normal and low
/// requests share the places that are not reserved, of which there is always at least one. A Headroom decides how many
/// of these are held free for normal requests.
std::uint32_t share_of(Priority priority, std::uint32_t limit, std::uint32_t reserved) noexcept;

/// The concurrent requests at an upstream, as a state machine; one thread.
class Concurrency {
 public:
  using Steady = Gradient::Steady;

  /// Interval at which one low request is treated as a normal request, so that low requests do not starve.
  static constexpr std::chrono::seconds kTrickle{1};

  explicit Concurrency(const ConcurrencyOptions& options);

  const ConcurrencyOptions& options() const noexcept { return options_; }

  /// Returns the priority that a request of `priority` is treated as at `now`: from time to time a low request counts
  /// as normal. Changes nothing.
  Priority effective(Priority priority, Steady now) const noexcept;
  /// Records that every layer admitted a low request that counted as normal. No other low request counts as normal
  /// before kTrickle has passed.
  void trickled(Steady now) noexcept { trickled_ = now; }

  /// Returns whether a request of this priority may go to the upstream, because a place is free and not held for a
  /// higher priority. Changes nothing.
  bool admits(Priority priority) const noexcept;
  /// Returns the queue of requests that wait for a place; null if none may wait. When a place becomes free, the first
  /// request of the queue is served.
  FairQueue* queue() noexcept { return queue_ ? &*queue_ : nullptr; }
  /// Returns whether a new request of this priority may go at once, because a place is free and no waiting request goes
  /// before it.
  bool admits_now(Priority priority);
  /// Records a request that was refused, or has to wait, because admits() was false.
  void refused(Priority priority, Steady now) noexcept;
  /// Counts an admitted request. Each admitted request must end with answered(), dropped() or left().
  void enter(Priority priority, Steady now) noexcept;
  /// Counts a request that was admitted before and continues after a failed attempt.
  void enter(Priority priority) noexcept { ++in_flight_[static_cast<std::size_t>(priority)]; }
  /// Records that the head of the answer arrived after `latency`.
  void answered(Priority priority, Duration latency, Steady now);
  /// Records that the request got no answer in time, or no connection.
  void dropped(Priority priority, Steady now);
  /// Records that the request ended in a way that says nothing about the upstream: its client left, or its server
  /// failed at once.
  void left(Priority priority) noexcept;

  /// Returns the adaptive limit; 0 if there is none.
  std::uint32_t limit() const noexcept { return gradient_ ? gradient_->limit() : 0; }
  /// Returns the latency that counts as usual; 0 if it is unknown.
  Duration usual_latency() const noexcept { return gradient_ ? gradient_->usual_latency() : Duration(0); }
  std::uint32_t in_flight() const noexcept { return in_flight_[0] + in_flight_[1] + in_flight_[2]; }

 private:
  /// Returns how many more requests of this priority may come now if no place is held free for a higher priority.
  std::uint32_t room_for(Priority priority) const noexcept;
  void serve_waiting() noexcept;

  ConcurrencyOptions options_;
  std::optional<Gradient> gradient_;
  std::optional<FairQueue> queue_;
  Headroom headroom_{Headroom::kCostOfQueued};
  std::array<std::uint32_t, kPriorities> in_flight_{};
  Steady trickled_{};
};

}  // namespace headgate::shed
