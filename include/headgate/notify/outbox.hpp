#pragma once
// The queue of webhooks that wait to be sent. It reads no clock.

#include "headgate/core/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace headgate::notify {

/// The outcome of a webhook.
enum class Fate : std::uint8_t {
  delivered,
  refused,   ///< Refused by the receiver, permanently.
  given_up,  ///< The last attempt failed.
  dropped    ///< The queue was full, or headgate ended.
};

struct PendingWebhook {
  std::string id;
  std::string body;
  std::uint64_t number = 0;              ///< Unique; the oldest delivery has the lowest number.
  unsigned attempts = 0;                 ///< Attempts that have begun.
  std::function<void(Fate)> ended = {};  ///< Called once with the outcome; may be null.
};

/// A bounded queue, ordered by due time. One thread.
class Outbox {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Outbox(std::size_t bound) : bound_(bound) {}

  /// Adds a delivery that is due at `due`. If the queue is full, removes and returns the oldest delivery, which may be
  /// `delivery` itself.
  std::optional<PendingWebhook> add(PendingWebhook delivery, Time due);
  /// Delays all deliveries until `until`, because the receiver asked for a pause.
  void hold(Time until) noexcept;
  /// Makes everything due at once, including deliveries that are added later.
  void hurry() noexcept { hurry_ = true; }

  /// Removes and returns the delivery that has been due the longest; empty if none is due.
  std::optional<PendingWebhook> take(Time now);
  /// Returns the time of the next due delivery; empty if the queue is empty.
  std::optional<Time> next() const noexcept;
  std::size_t size() const noexcept { return waiting_.size(); }

 private:
  struct Waiting {
    PendingWebhook delivery;
    Time due;
  };
  PendingWebhook remove(std::map<std::uint64_t, Waiting>::iterator which);

  std::size_t bound_;
  std::map<std::uint64_t, Waiting> waiting_;         // Waiting webhooks by number.
  std::set<std::pair<Time, std::uint64_t>> by_due_;  // The same webhooks, by due time.
  Time held_until_{};
  bool hurry_ = false;
};

}  // namespace headgate::notify
