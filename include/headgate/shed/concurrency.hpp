#pragma once
// The requests of one worker at one upstream: how many there may be, and which priority may be among them. The point of
// admission: a queue of requests that wait would stand before it.

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
  std::uint32_t length = 100;                      ///< most requests of one worker that wait
  Duration wait = std::chrono::milliseconds(500);  ///< longest wait
  bool operator==(const QueueOptions&) const = default;
};

/// What an upstream says about its concurrency.
struct ConcurrencyOptions {
  std::optional<ConcurrencyRange> adaptive{};  ///< of each worker's adaptive limit; not set: there is none
  std::uint32_t in_flight = 0;          ///< most requests at the same time of all gateways or all workers; 0: no limit
  std::optional<QueueOptions> queue{};  ///< before the adaptive limit; not set: more requests are refused at once
  std::uint32_t reserved = 0;           ///< how many parts of kWhole only critical requests may use
  static constexpr std::uint32_t kWhole = 1'000'000;
  bool operator==(const ConcurrencyOptions&) const = default;
};

/// How many of `limit` requests at the same time each priority may use at most. Critical may use all. Normal and low
/// together may not use what is reserved, but always one. Who of them goes first is decided by a Headroom.
std::uint32_t share_of(Priority priority, std::uint32_t limit, std::uint32_t reserved) noexcept;

/// A state machine; one thread.
class Concurrency {
 public:
  using Steady = Gradient::Steady;

  /// How often one low request is treated as a normal one, so that low requests do not starve.
  static constexpr std::chrono::seconds kTrickle{1};

  explicit Concurrency(const ConcurrencyOptions& options);

  const ConcurrencyOptions& options() const noexcept { return options_; }

  /// What `priority` counts as at `now`: now and then low is treated as normal. Changes nothing.
  Priority effective(Priority priority, Steady now) const noexcept;
  /// A low request that was treated as normal was admitted everywhere: the next one has to wait for kTrickle.
  void trickled(Steady now) noexcept { trickled_ = now; }

  /// Whether a request of this priority may go to the upstream: a place is free, and not held for a higher priority.
  /// Changes nothing.
  bool admits(Priority priority) const noexcept;
  /// The requests that wait for a place; null if none may wait. The first of them is served when a place becomes free.
  FairQueue* queue() noexcept { return queue_ ? &*queue_ : nullptr; }
  /// Whether a new request of this priority may go at once: there is a place, and nobody waits who goes before it.
  bool admits_now(Priority priority);
  /// A request was refused, or has to wait, because admits() was false.
  void refused(Priority priority, Steady now) noexcept;
  /// Counts an admitted request. End each with answered(), dropped() or left().
  void enter(Priority priority, Steady now) noexcept;
  /// The same of one that was admitted before, and goes on.
  void enter(Priority priority) noexcept { ++in_flight_[static_cast<std::size_t>(priority)]; }
  /// The head of its answer came after `latency`.
  void answered(Priority priority, Duration latency, Steady now);
  /// It got no answer in time, or no connection.
  void dropped(Priority priority, Steady now);
  /// It ended otherwise, which says nothing about the upstream: its client left, or its server failed at once.
  void left(Priority priority) noexcept;

  /// The adaptive limit; 0 if there is none.
  std::uint32_t limit() const noexcept { return gradient_ ? gradient_->limit() : 0; }
  /// What counts as the usual latency; 0 if nothing is known.
  Duration usual_latency() const noexcept { return gradient_ ? gradient_->usual_latency() : Duration(0); }
  std::uint32_t in_flight() const noexcept { return in_flight_[0] + in_flight_[1] + in_flight_[2]; }

 private:
  /// How many more requests of this priority may come now if no place is held free.
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
