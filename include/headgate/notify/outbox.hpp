#pragma once
// The webhooks that wait to be sent. Reads no clock.

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

/// How a webhook ended.
enum class Fate : std::uint8_t {
  delivered,
  refused,   ///< by the receiver, for good
  given_up,  ///< its last attempt failed
  dropped    ///< the queue was full, or headgate ended
};

struct PendingWebhook {
  std::string id;
  std::string body;
  std::uint64_t number = 0;              ///< rises with age: the oldest has the lowest; unique
  unsigned attempts = 0;                 ///< begun so far
  std::function<void(Fate)> ended = {};  ///< told once how it ended; may be null
};

/// A bounded queue, ordered by when each delivery is due. One thread.
class Outbox {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Outbox(std::size_t bound) : bound_(bound) {}

  /// Adds a delivery that is due at `due`. Beyond the bound it removes and returns the oldest, which may be this one.
  std::optional<PendingWebhook> add(PendingWebhook delivery, Time due);
  /// Nothing is due before `until`: the receiver asked for a pause.
  void hold(Time until) noexcept;
  /// From now on everything is due at once, also what is added later.
  void hurry() noexcept { hurry_ = true; }

  /// Removes and returns the delivery that has been due the longest; nothing if none is due.
  std::optional<PendingWebhook> take(Time now);
  /// When take() has one next; nothing while it is empty.
  std::optional<Time> next() const noexcept;
  std::size_t size() const noexcept { return waiting_.size(); }

 private:
  struct Waiting {
    PendingWebhook delivery;
    Time due;
  };
  PendingWebhook remove(std::map<std::uint64_t, Waiting>::iterator which);

  std::size_t bound_;
  std::map<std::uint64_t, Waiting> waiting_;         // by number
  std::set<std::pair<Time, std::uint64_t>> by_due_;  // the same
  Time held_until_{};
  bool hurry_ = false;
};

}  // namespace headgate::notify
