#pragma once
// Looks several times a second at what can be wrong with this gateway, and keeps its list of reasons current.

#include "server/admin/admin_board.hpp"
#include "server/config/reload.hpp"

#include "headgate/keyring/keyring.hpp"
#include "headgate/observe/logs.hpp"
#include "headgate/server/reasons.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::server {

/// What /readyz says of these reasons.
Readiness readiness_of(const Reasons& reasons);

/// Redis does not answer, or does (null).
void tell_redis(Reasons& reasons, const RedisOutage* outage);
/// What is wrong with these upstreams; all others are well.
void tell_upstreams(Reasons& reasons, const std::vector<UpstreamReport>& upstreams);
/// Which of its upstreams refuse requests because there are too many.
void tell_shedding(Reasons& reasons, const ActiveConfig& active);

/// The sources of keys whose last reading failed; all others are well.
void tell_keys(Reasons& reasons, const std::vector<keyring::SourceReport>& sources);
void tell_logs(Reasons& reasons, observe::Logs::Failing failing);
/// `kind` is one that is about losing things.
void tell_lost(Reasons& reasons, ReasonKind kind, std::string_view subject, bool loses);

/// Whether a counter rises. It has risen until it stood still for a while.
class RisingCount {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  static constexpr auto kQuiet = std::chrono::seconds(60);
  /// Times never fall. What was counted before the first call does not matter.
  bool rises(Steady now, std::uint64_t count) noexcept;

 private:
  std::optional<std::uint64_t> before_;
  std::optional<Steady> risen_;
};

/// Main thread only, which runs the loop.
class ReasonWatch {
 public:
  explicit ReasonWatch(boost::asio::io_context& loop) : timer_(loop) {}
  /// Calls `look` at each look, from start() on. Before it.
  void add(std::function<void()> look) { looks_.push_back(std::move(look)); }
  /// Looks at once, and from now on.
  void start();
  /// Nothing of it is left on the loop.
  void stop();

 private:
  void arm();

  boost::asio::steady_timer timer_;
  std::vector<std::function<void()>> looks_;
  bool stopped_ = false;
};

}  // namespace headgate::server
