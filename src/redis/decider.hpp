#pragma once
// The calls under way to one Redis server: their deadlines, the breaker that guards them, and what the answers mean.

#include "connection.hpp"
#include "health_log.hpp"
#include "pause.hpp"
#include "probe.hpp"
#include "redirect.hpp"
#include "roster.hpp"
#include "setup.hpp"

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/redis/breaker.hpp"
#include "headgate/redis/errors.hpp"
#include "headgate/redis/options.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/intrusive/list.hpp>

#include <chrono>
#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::redis {

class Decider;

using CallHook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// How one call goes on its way through a cluster.
struct Route {
  std::chrono::steady_clock::time_point deadline;  ///< of the whole decision
  bool asking = false;                             ///< the node is only about to get the slot: say that we know
  std::optional<Redirect> redirect;                ///< what the node answered instead of a decision
};

/// One decision under way: lives in the frame of the coroutine that awaits it, and takes itself out of everything when
/// that dies.
class Call : public Recipient, public CallHook {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Call(Decider& decider, std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts, Time deadline)
      : Call(decider, asks, verdicts, deadline, nullptr) {}
  /// The same in a cluster: redirects are told in `route`, which must outlive this object.
  Call(Decider& decider, std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts, Route& route)
      : Call(decider, asks, verdicts, route.deadline, &route) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

  bool await_ready() const noexcept { return done_; }
  void await_suspend(std::coroutine_handle<> task) noexcept { task_ = task; }
  Result<bool> await_resume() const noexcept { return outcome_; }

 private:
  friend class Decider;

  Call(Decider& decider, std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts, Time deadline,
       Route* route);

  Decider& decider_;
  std::span<const limit::Ask> asks_;
  std::span<limit::Verdict> verdicts_;
  Route* route_;  ///< null where there is one server
  Time asked_at_;
  Time deadline_;
  std::uint64_t heard_before_;  ///< answers of any kind when it was sent
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

  /// `changed` is called whenever health() has changed, until stop() or retire().
  Decider(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup, std::shared_ptr<NodeStats> stats,
          std::function<void()> changed);

  /// Connects there, now and whenever the connection is lost; until then calls wait for it within their deadline.
  /// `stats` are that server's.
  void aim(const Node& node, std::shared_ptr<NodeStats> stats);
  /// There is no server to connect to: what waits for one waits in vain. Only before the first aim().
  void unreachable(const std::string& reason);
  /// Fails what is waiting, at once; final.
  void stop(Errc why = Errc::stopped);
  /// Stops once the calls under way have ended.
  void retire();

  /// One decision, within one deadline. Keeps `self`: a caller may let go of everything while it waits.
  static Task<Result<bool>> decide(std::shared_ptr<Decider> self, std::span<const limit::Ask> asks,
                                   std::span<limit::Verdict> verdicts);
  /// Whether one more call may be sent, or has to wait for the answer to a probe; else why not.
  Result<Breaker::Pass> admit();
  /// What admit() says, once a probe that is out has been answered; an error where `deadline` came first.
  static Task<Result<Breaker::Pass>> admit_later(std::shared_ptr<Decider> self, Time deadline);
  /// What is asked of this server to see whether it decides: a subject whose slot is its own.
  void probe_with(std::string subject) { probe_.subject = std::move(subject); }
  const std::string& probed_with() const noexcept { return probe_.subject; }
  Health health() const noexcept { return stats_->health.load(std::memory_order_relaxed); }
  /// See Servers::way_back_until.
  Time way_back_until() const noexcept { return way_back_until_; }
  std::size_t in_flight() const noexcept { return connection_->in_flight(); }

 private:
  friend class Call;
  using Executor = boost::asio::io_context::executor_type;
  using Timer = boost::asio::basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>, Executor>;
  using Calls = boost::intrusive::list<Call, boost::intrusive::constant_time_size<false>>;

  void connected() override;
  void replied(Recipient* waiter, const Reply& reply) override;
  void wrote() override { stats_->writes.add(); }
  void lost(const std::string& reason) override;

  void queue(Call& call);
  std::span<const std::string_view> words_of(std::span<const limit::Ask> asks, std::string_view command,
                                             std::string_view script);
  void send(Call& call, std::string_view command, std::string_view script);
  void refused(Call& call, std::string_view error);
  void finish(Call& call, Result<bool> outcome);
  void finish_all(Errc why);
  void abandon(Call& call);

  void tick();
  void expire(Time now);
  void look_after_probe(Time now);
  void send_probe(std::string_view command, std::string_view script);
  void probe_replied(const Reply& reply, Time now);
  void go_on();
  std::optional<Time> next_event() const;
  void arm();
  void note(Time now);

  Executor executor_;
  const std::shared_ptr<const Setup> setup_;
  std::shared_ptr<NodeStats> stats_;
  std::function<void()> changed_;
  std::shared_ptr<Connection> connection_;
  Breaker breaker_;
  HealthLog log_;
  std::string trouble_;  ///< the latest reason for the log
  std::optional<Time> down_since_;
  Time way_back_until_{};

  Calls calls_;  ///< waiting ones, the oldest deadline first
  std::uint64_t heard_ = 0;
  std::vector<std::string> arguments_;
  std::vector<std::string_view> words_;

  Probe probe_;
  Pauses waiting_;  ///< for the probe that is out

  Timer timer_;
  std::optional<Time> wakes_at_;
  bool retired_ = false;
  bool stopped_ = false;
};

}  // namespace headgate::redis
