#pragma once
// The calls under way to one Redis server: their deadlines, the breaker that guards them, and what the answers mean.

#include "connection.hpp"
#include "health_log.hpp"
#include "roster.hpp"

#include "headgate/core/result.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/redis/breaker.hpp"
#include "headgate/redis/errors.hpp"
#include "headgate/redis/options.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/intrusive/list.hpp>

#include <chrono>
#include <coroutine>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::redis {

class Decider;

using CallHook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// One decision under way: lives in the frame of the coroutine that awaits it, and takes itself out of everything when
/// that dies.
class Call : public Waiter, public CallHook {
 public:
  Call(Decider& decider, std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts, Breaker::Pass pass);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

  bool await_ready() const noexcept { return done_; }
  void await_suspend(std::coroutine_handle<> task) noexcept { task_ = task; }
  Result<bool> await_resume() const noexcept { return outcome_; }

 private:
  friend class Decider;

  Decider& decider_;
  std::span<const limit::Ask> asks_;
  std::span<limit::Verdict> verdicts_;
  Breaker::Pass pass_;
  std::chrono::steady_clock::time_point asked_at_;
  std::chrono::steady_clock::time_point deadline_;
  std::uint64_t heard_before_ = 0;  ///< answers of any kind when it was sent
  bool resent_ = false;
  bool done_ = false;
  Result<bool> outcome_;
  std::coroutine_handle<> task_;
};

/// Worker thread only. Timers and the connection keep it alive until stop().
class Decider final : public ConnectionOwner, public std::enable_shared_from_this<Decider> {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  Decider(boost::asio::io_context& loop, const Options& options, const Node& node, std::shared_ptr<NodeStats> stats);

  void start() { connection_->start(shared_from_this()); }
  void stop();

  /// Whether one more call may be sent, and how; else why not.
  Result<Breaker::Pass> admit();

 private:
  friend class Call;
  using Executor = boost::asio::io_context::executor_type;
  using Timer = boost::asio::basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>, Executor>;
  using Calls = boost::intrusive::list<Call, boost::intrusive::constant_time_size<false>>;

  void connected(Clock::duration round_trip) override;
  void replied(Waiter* waiter, const Reply& reply) override;
  void lost(const std::string& reason) override;

  void send(Call& call, std::string_view command, std::string_view script);
  void refused(Call& call, std::string_view error);
  void finish(Call& call, Result<bool> outcome);
  void finish_all(Errc why);
  void abandon(Call& call);

  void tick();
  void expire(Time now);
  void look_after_probe(Time now);
  void probe_replied(const Reply& reply, Time now);
  std::optional<Time> next_event() const;
  void arm();
  void note(Time now);

  Executor executor_;
  const Options options_;
  const std::shared_ptr<NodeStats> stats_;
  std::shared_ptr<Connection> connection_;
  Breaker breaker_;
  HealthLog log_;
  std::string trouble_;  ///< the latest reason for the log

  Calls calls_;  ///< waiting ones, the oldest deadline first
  std::uint64_t heard_ = 0;
  std::vector<std::string> arguments_;
  std::vector<std::string_view> words_;

  Waiter probe_;
  std::optional<Time> probe_sent_;  ///< while it is unanswered
  bool probe_overdue_ = false;

  Timer timer_;
  std::optional<Time> wakes_at_;
  bool stopped_ = false;
};

}  // namespace headgate::redis
