#pragma once
// The events of this gateway for those who follow them (server-sent events): each reader has a bounded queue.

#include "headgate/admin/admin_endpoints.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::admin {

/// What the gateway reports (observe::event, from level info), for at most kReaders readers at a time. Any thread. One
/// that reads too slowly loses the oldest events, and is told how many.
class EventFeed {
 public:
  static constexpr std::size_t kReaders = 8;
  static constexpr std::size_t kQueue = 256;                    ///< events of one reader that wait
  static constexpr std::size_t kKept = 100;                     ///< the last events, for who comes later
  static constexpr Duration kPause = std::chrono::seconds(10);  ///< then a comment shows that the connection lives

  EventFeed();
  ~EventFeed();  ///< takes no more events; every stream has ended
  EventFeed(const EventFeed&) = delete;
  EventFeed& operator=(const EventFeed&) = delete;

  /// A new reader; null if there are kReaders already.
  std::unique_ptr<AdminStream> open();
  /// How many there are.
  std::size_t readers() const;
  /// The last events, the oldest first: each as JSON.
  std::vector<std::string> last() const;
  /// Those of the last events that came behind number `after`, counted from 1. A number that is not reached yet is one
  /// of the process before this one: all that are kept came behind it.
  struct Behind {
    std::uint64_t number = 0;  ///< of the last event so far
    std::uint64_t missed = 0;  ///< events behind `after` that are not kept any more
    std::vector<std::string> events;
  };
  Behind behind(std::uint64_t after) const;
  /// Ends all streams: what waits is still sent. Nobody can read any more.
  void close();

 private:
  class Reader;
  struct State;
  std::shared_ptr<State> state_;
};

/// GET /api/v1/events. `feed` must outlive the admin interface.
AdminEndpoint events_endpoint(EventFeed& feed);
/// GET /api/v1/events/last, for who asks now and then. `feed` must outlive the admin interface.
AdminEndpoint last_events_endpoint(const EventFeed& feed);

}  // namespace headgate::admin
