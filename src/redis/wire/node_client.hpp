#pragma once
// The active calls to one Redis server: their deadlines, the breaker, and the meaning of the answers.

#include "connection.hpp"
#include "health_log.hpp"
#include "node_statistics.hpp"
#include "probe.hpp"
#include "question.hpp"
#include "redis/pause.hpp"
#include "redis/servers/redirect.hpp"
#include "redis/setup.hpp"

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"
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

class NodeClient;

using CallHook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// The state of a call on its way through a cluster.
struct ClusterHop {
  std::chrono::steady_clock::time_point deadline;  ///< deadline of the whole question
  bool asking = false;                             ///< the node does not own the slot yet, so send ASKING first
  std::optional<Redirect> redirect;                ///< the redirect that the node answered
};

/// An active call. It lives in the frame of the coroutine that awaits it. Its destructor removes it from all lists.
class Call : public Recipient, public CallHook {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// `question` must outlive this object.
  Call(NodeClient& node_client, ScriptQuestion& question, Time deadline)
      : Call(node_client, question, deadline, nullptr) {}
  /// Does the same in a cluster. Writes redirects to `route`, which must outlive this object.
  Call(NodeClient& node_client, ScriptQuestion& question, ClusterHop& route)
      : Call(node_client, question, route.deadline, &route) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

  bool await_ready() const noexcept { return done_; }
  void await_suspend(std::coroutine_handle<> task) noexcept { task_ = task; }
  Result<bool> await_resume() const noexcept { return outcome_; }

 private:
  friend class NodeClient;

  Call(NodeClient& node_client, ScriptQuestion& question, Time deadline, ClusterHop* route);

  NodeClient& node_client_;
  ScriptQuestion& question_;
  ClusterHop* route_;  ///< null without a cluster
  Time asked_at_;
  Time deadline_;
  std::uint64_t heard_before_;  ///< number of answers of any kind that had arrived when the call was sent
  bool resent_ = false;
  bool done_ = false;
  Result<bool> outcome_;
  std::coroutine_handle<> task_;
};

/// The client of one server. Worker thread only. Timers and the connection keep it alive until stop().
class NodeClient final : public ConnectionOwner, public std::enable_shared_from_this<NodeClient> {
 public:
  using Time = SteadyClock::time_point;

  /// Calls `changed` whenever health() has changed, until stop() or retire().
  NodeClient(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup, std::shared_ptr<NodeStats> stats,
             std::function<void()> changed);

  /// Connects to `node` now, and again whenever the connection breaks. Until there is a connection, calls wait for it
  /// within their deadline. `stats` belongs to that server.
  void aim(const RedisNode& node, std::shared_ptr<NodeStats> stats);
  /// Fails all waiting calls, because there is no server to connect to. Call it only before the first aim().
  void unreachable(const std::string& reason);
  /// Fails all waiting calls at once. Final.
  void stop(Errc why = Errc::stopped);
  /// Stops after the active calls have ended.
  void retire();

  /// Makes one call within one deadline. Keeps `self` alive, because the caller may drop all its references meanwhile.
  /// `question` must outlive the await.
  static Task<Result<bool>> ask(std::shared_ptr<NodeClient> self, ScriptQuestion& question);
  /// Does the same for one decision.
  static Task<Result<bool>> decide(std::shared_ptr<NodeClient> self, std::span<const limit::Check> checks,
                                   std::span<limit::Decision> decisions);
  /// Returns whether a new call may be sent at once or must wait for the answer to a probe; an error if it may not be
  /// sent.
  Result<Breaker::Pass> admit();
  /// Waits until the active probe is answered, and returns the result of admit() then; an error if `deadline` passes
  /// first.
  static Task<Result<Breaker::Pass>> admit_later(std::shared_ptr<NodeClient> self, Time deadline);
  /// Sets the key for probes of this server; the slot of the key must belong to it.
  void probe_with(std::string key) { probe_.key = std::move(key); }
  const std::string& probed_with() const noexcept { return probe_.key; }
  RedisHealth health() const noexcept { return stats_->health.load(std::memory_order_relaxed); }
  /// See Servers::recovering_until.
  Time recovering_until() const noexcept { return recovering_until_; }
  std::size_t in_flight() const noexcept { return connection_->in_flight(); }

 private:
  friend class Call;
  enum class Form { sha, whole };  ///< how a script is sent: by its hash or as a whole
  using Executor = boost::asio::io_context::executor_type;
  using Timer = boost::asio::basic_waitable_timer<SteadyClock, boost::asio::wait_traits<SteadyClock>, Executor>;
  using Calls = boost::intrusive::list<Call, boost::intrusive::constant_time_size<false>>;

  void connected() override;
  void replied(Recipient* waiter, const Reply& reply) override;
  void wrote() override { stats_->writes.add(); }
  void lost(const std::string& reason) override;

  template <class AnyQuestion>
  static Task<Result<bool>> run(std::shared_ptr<NodeClient> self, AnyQuestion question);
  void queue(Call& call);
  std::span<const std::string_view> words_of(const ScriptQuestion& question, Form form);
  void send(Call& call, Form form);
  void refused(Call& call, std::string_view error);
  void finish(Call& call, Result<bool> outcome);
  void finish_all(Errc why);
  void abandon(Call& call);

  void tick();
  void expire(Time now);
  void look_after_probe(Time now);
  void send_probe(Form form);
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
  std::string trouble_;  ///< the latest reason of a failure, for the log
  std::optional<Time> down_since_;
  Time recovering_until_{};

  Calls calls_;  ///< active calls, earliest deadline first
  std::uint64_t heard_ = 0;
  std::vector<std::string> arguments_;
  std::vector<std::string_view> words_;

  Probe probe_;
  Pauses waiting_;  ///< calls that wait for the answer to the active probe

  Timer timer_;
  std::optional<Time> wakes_at_;
  bool retired_ = false;
  bool stopped_ = false;
};

}  // namespace headgate::redis
