#pragma once
// Sends settlements to Redis: merged per counter, again after an outage, and each at most once.

#include "active_calls.hpp"
#include "redis/servers/servers.hpp"

#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"
#include "headgate/limit/local.hpp"
#include "headgate/limit/rule_copies.hpp"
#include "headgate/limit/settle_queue.hpp"
#include "headgate/observe/line_gate.hpp"
#include "headgate/redis/options.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headgate::redis {

/// The settlements of one limiter. Worker thread only, except for the functions that say otherwise. Its tasks keep it
/// alive.
///
/// One server: a batch has a number, which Redis keeps for each lane (limit/settled_batch.hpp). A batch whose answer is
/// lost is sent again with its number, so it counts once. A lane sends its next batch after the answer to the last one.
///
/// A cluster: the counters of a batch are in one slot, and a number in each slot would need too many keys. A batch is
/// sent again only if no node can have applied it.
class Settler : public std::enable_shared_from_this<Settler> {
 public:
  /// `sender` is a random number that differs for each limiter of all gateways.
  Settler(boost::asio::io_context& loop, const RedisOptions& options, std::uint64_t sender,
          std::shared_ptr<Servers> servers, std::shared_ptr<limit::Local> local, std::shared_ptr<ActiveCalls> calls);

  /// Returns whether settle() accepts these checks: they take permits only as a charge or debt, and have no token.
  static bool accepts(std::span<const limit::Check> checks) noexcept;
  /// Queues the checks, and sends them within a few milliseconds, with those of other requests. `held_for` is for each
  /// check the time for which its permits can be given back; without a limit if it is empty. Returns false if some of
  /// the checks were lost.
  bool settle(std::span<const limit::Check> checks, std::span<const Duration> held_for);
  /// Sends queued settlements of these keys now. Call it before a decision, which finds them applied then.
  void before(std::span<const limit::Check> checks) {
    if (queue_.has_new()) send_new_of(checks);
  }

  /// Sends everything now. Whatever Redis does not answer is lost.
  void stop();

  std::uint64_t settled() const noexcept { return settled_.load(std::memory_order_relaxed); }  ///< any thread
  Outstanding outstanding() const;                                                             ///< any thread
  std::map<std::string, std::uint64_t> lost() const;                                           ///< any thread

 private:
  using Time = SteadyClock::time_point;
  using Timer = boost::asio::basic_waitable_timer<SteadyClock, boost::asio::wait_traits<SteadyClock>,
                                                  boost::asio::io_context::executor_type>;

  struct Lane {
    limit::Rule rule;  ///< of the number of its batches
    std::int64_t number = 0;
    bool busy = false;
    Time sent_at;                             ///< when the current batch was sent for the first time
    std::optional<limit::SettleBatch> again;  ///< a batch that must be sent again with its number
    unsigned refusals = 0;
  };

  static Task<void> send(std::shared_ptr<Settler> self, Lane& lane, limit::SettleBatch batch);

  void send_new_of(std::span<const limit::Check> checks);
  void send_new();
  void send_waiting();
  void send_again();
  void send_rest();
  Lane* free_lane() noexcept;
  void start(Lane& lane, limit::SettleBatch batch);
  void ended(Lane& lane, limit::SettleBatch&& batch, const Result<bool>& answer, bool was_sent);
  void failed(Lane& lane, limit::SettleBatch&& batch, error_code why, bool was_sent);
  bool is_refused_for_good(unsigned& refusals, error_code why) const noexcept;
  void gather();
  void arm();
  void tick();
  void publish();
  void report_lost();

  const bool numbered_;  ///< batches have numbers
  const std::string prefix_;
  const std::shared_ptr<Servers> servers_;
  const std::shared_ptr<limit::Local> local_;
  const std::shared_ptr<ActiveCalls> calls_;
  limit::RuleCopies rules_;
  limit::SettleQueue queue_;
  std::vector<Lane> lanes_;
  Timer gather_timer_;
  Timer retry_timer_;
  bool gathering_ = false;
  bool armed_ = false;
  bool stopped_ = false;
  bool starting_ = false;
  unsigned failures_left_ = 0;  ///< number of batches that may fail until the next tick
  unsigned ticks_ = 0;
  observe::LineGate gate_;

  std::atomic<std::uint64_t> settled_{0};
  std::atomic<std::uint64_t> settlements_{0};
  std::atomic<std::uint64_t> permits_{0};
  std::atomic<SteadyClock::rep> oldest_{0};  ///< 0 if there is none
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t> lost_;  ///< guarded by mutex_
};

}  // namespace headgate::redis
