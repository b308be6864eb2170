#pragma once
// The process: workers, listeners, signals, drain.

#include "headgate/gateway/handler.hpp"
#include "headgate/gateway/options.hpp"
#include "headgate/net/options.hpp"
#include "headgate/upstream/upstream.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace headgate::server {

/// What a worker does with requests, and what it needs for that. Made on the main thread before the loops run, then
/// used by one worker.
class Service {
 public:
  virtual ~Service() = default;
  virtual gateway::Handler& handler() = 0;
  /// Of client connections, now.
  virtual gateway::Timeouts timeouts() const { return {}; }
  /// Closes what it holds open, so that the worker's loop can run dry.
  virtual void stop() = 0;
};
using MakeService = std::function<std::unique_ptr<Service>(upstream::Environment)>;

/// What every service is told, each on its worker's thread.
struct Change {
  std::function<void(Service&)> make;
  std::function<void()> made;  ///< once, on the thread of whichever service was the last; may be empty
};
/// Passes a change on to every service. Main thread.
using Tell = std::function<void(const Change&)>;

/// Called on the main thread, which may take its time.
struct Signals {
  std::function<std::optional<Change>()> reload;  ///< at SIGHUP; nothing where nothing changes
  std::function<void()> reopen_logs;              ///< at SIGUSR1; may be empty
  std::function<void()> draining;                 ///< at the first SIGTERM or SIGINT
  std::function<void(Tell)> started;              ///< services run; `tell` is good until `ended`
  std::function<void()> ended;  ///< no service runs any more; nothing may be left for the loop to do afterwards
};

/// Threads: what was asked for, or one a core for 0.
unsigned worker_count(unsigned wanted) noexcept;

struct Options {
  std::vector<net::ListenOptions> listen;
  unsigned workers = 0;                       ///< 0: one a core
  Duration drain_delay{0};                    ///< how long the listeners stay open once told to end
  Duration drain = std::chrono::seconds(20);  ///< and then, how long what is in flight may take
  gateway::Bounds bounds;
};

/// Serves until SIGTERM or SIGINT, then drains; runs `main_loop` meanwhile. 0 when all went well, 1 when it could not
/// start (the reason is on stderr). Without `signals.reload`, SIGHUP ends the process as it usually does.
int serve(boost::asio::io_context& main_loop, const Options& options, const MakeService& make,
          const Signals& signals = {});

}  // namespace headgate::server
