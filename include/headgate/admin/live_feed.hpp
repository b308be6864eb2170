#pragma once
// The stream behind the dashboard: snapshots of the gateway's state, called looks, which all open pages share.

#include "headgate/admin/admin_endpoints.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headgate::admin {

/// Sends server-sent events named `look`. A look is one JSON object with the answers of several calls. Each look is
/// made once for all pages, and so rarely that all looks together use at most 1/kShare of a core. A slow page skips
/// looks; nothing waits for it. Admin thread, unless stated otherwise.
class LiveFeed {
 public:
  static constexpr std::size_t kReaders = 64;
  static constexpr Duration kEvery = std::chrono::seconds(2);
  static constexpr Duration kSeldom = std::chrono::seconds(60);  ///< The longest time between two looks.
  static constexpr int kShare = 200;  ///< A look that takes 1 unit of CPU time is followed by a pause of kShare units.

  /// A member of each look: the answer of the call to `path`. `query` is written as in a call: "?n=10". If the call is
  /// refused, the member is null.
  struct Part {
    std::string name;
    std::string path;
    std::string query{};
  };

  LiveFeed();
  ~LiveFeed();
  LiveFeed(const LiveFeed&) = delete;
  LiveFeed& operator=(const LiveFeed&) = delete;

  /// Sets the parts of a look; call it before the first open(). `endpoints` have the paths of all parts; `events`
  /// returns the last events as JSON.
  void use(std::vector<Part> parts, std::vector<AdminEndpoint> endpoints,
           std::function<std::vector<std::string>()> events);
  /// Returns a new reader; null if there are already kReaders, or after close().
  std::unique_ptr<AdminStream> open();
  std::size_t readers() const;  ///< Returns the number of readers. Any thread.
  /// Ends all streams. No new reader can join. Any thread.
  void close();

 private:
  class Reader;
  struct Gathered;
  struct State;
  std::shared_ptr<State> state_;
};

/// Returns the pause after a look that took `spent` of CPU time and is sent to `readers` pages as `bytes` bytes each.
Duration pause_after(Duration spent, std::size_t readers, std::size_t bytes) noexcept;

/// Returns the endpoint GET /api/v1/live. `feed` must outlive the admin interface.
AdminEndpoint live_endpoint(LiveFeed& feed);

}  // namespace headgate::admin
