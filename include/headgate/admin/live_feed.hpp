#pragma once
// What the dashboard shows, again and again: one look at the gateway for all pages that are open.

#include "headgate/admin/admin_endpoints.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headgate::admin {

/// Server-sent events `look`, of which each is the answers of other calls in one object. However many pages follow,
/// each look is made once; and it is made as seldom as needed to cost at most kShare of a core. A page that reads too
/// slowly skips looks; nothing waits for it. The admin thread, unless noted.
class LiveFeed {
 public:
  static constexpr std::size_t kReaders = 64;
  static constexpr Duration kEvery = std::chrono::seconds(2);
  static constexpr Duration kSeldom = std::chrono::seconds(60);  ///< at least so often
  static constexpr int kShare = 200;                             ///< of so much time a look takes 1

  /// A member of each look: what this path answers. `query` as in a call: "?n=10". A refusal is null.
  struct Part {
    std::string name;
    std::string path;
    std::string query{};
  };

  LiveFeed();
  ~LiveFeed();
  LiveFeed(const LiveFeed&) = delete;
  LiveFeed& operator=(const LiveFeed&) = delete;

  /// What a look is made of, before the first open(). `endpoints` have the paths of all parts; `events` gives the last
  /// events, each as JSON.
  void use(std::vector<Part> parts, std::vector<AdminEndpoint> endpoints,
           std::function<std::vector<std::string>()> events);
  /// A new reader; null if there are kReaders already, or after close().
  std::unique_ptr<AdminStream> open();
  std::size_t readers() const;  ///< how many there are; any thread
  /// Ends all streams. Nobody can read any more. Any thread.
  void close();

 private:
  class Reader;
  struct Gathered;
  struct State;
  std::shared_ptr<State> state_;
};

/// The length of a pause after a look that took `spent` of the processor and that `readers` get, each `bytes` of it.
Duration pause_after(Duration spent, std::size_t readers, std::size_t bytes) noexcept;

/// GET /api/v1/live. `feed` must outlive the admin interface.
AdminEndpoint live_endpoint(LiveFeed& feed);

}  // namespace headgate::admin
