#pragma once
// The events of this gateway as server-sent events. Each reader has a bounded queue.

#include "headgate/admin/admin_endpoints.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::admin {

/// Delivers events from level info upwards (observe::event) to at most kReaders readers at a time. Any thread. A slow
/// reader loses the oldest events, and is told how many.
class EventFeed {
 public:
  static constexpr std::size_t kReaders = 8;
  static constexpr std::size_t kQueue = 256;  ///< Maximum number of queued events per reader.
  static constexpr std::size_t kKept = 100;   ///< Number of past events that are kept.
  /// Idle time after which a comment shows that the connection is alive.
  static constexpr Duration kPause = std::chrono::seconds(10);

  EventFeed();
  ~EventFeed();  ///< Stops taking events. All streams must have ended.
  EventFeed(const EventFeed&) = delete;
  EventFeed& operator=(const EventFeed&) = delete;

  /// Returns a new reader; null if there are already kReaders.
  std::unique_ptr<AdminStream> open();
  /// Returns the number of readers.
  std::size_t readers() const;
  /// Returns the last events as JSON, oldest first.
  std::vector<std::string> last() const;
  /// The kept events after number `after`, counted from 1. If `after` is greater than the number of the last event, it
  /// was given by a previous process, and all kept events are returned.
  struct Behind {
    std::uint64_t number = 0;  ///< Number of the last event.
    std::uint64_t missed = 0;  ///< Events after `after` that are no longer kept.
    std::vector<std::string> events;
  };
  Behind behind(std::uint64_t after) const;
  /// Ends all streams after sending their queues. No new reader can join.
  void close();

 private:
  class Reader;
  struct State;
  std::shared_ptr<State> state_;
};

/// Returns the endpoint GET /api/v1/events. `feed` must outlive the admin interface.
AdminEndpoint events_endpoint(EventFeed& feed);
/// Returns the endpoint GET /api/v1/events/last, for clients that poll. `feed` must outlive the admin interface.
AdminEndpoint last_events_endpoint(const EventFeed& feed);

}  // namespace headgate::admin
