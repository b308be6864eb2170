#pragma once
// The calls of a limiter that no request waits for: refills and refunds of leases, settlements, charges. One timer
// serves them all.

#include "active_calls.hpp"
#include "redis/servers/servers.hpp"
#include "settler.hpp"
#include "waiters.hpp"

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"
#include "headgate/limit/local.hpp"
#include "headgate/limit/rule_copies.hpp"
#include "headgate/redis/options.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headgate::redis {

/// The background calls of one limiter. Worker thread only, except for the counts. Its tasks keep it alive.
class Background : public std::enable_shared_from_this<Background> {
 public:
  /// `sender` is a random number that differs for each limiter of all gateways. `sharers` returns how many limiters may
  /// lease the same key now.
  Background(boost::asio::io_context& loop, const RedisOptions& options, std::uint64_t sender,
             std::shared_ptr<Servers> servers, std::shared_ptr<limit::Local> local, std::shared_ptr<Waiters> waiters,
             std::function<std::uint32_t()> sharers);

  /// Refills leases that run low, and starts the timer that refunds expired leases. Call it after anything that may
  /// have taken from a lease or asked for one.
  void look_after_leases() {
    if (local_->leases().running_low()) refill();
    if (!armed_ && !local_->leases().empty()) arm();
  }
  /// Refunds and settles what the next call to Redis relies on. Call it before that call, which has these checks.
  void give_back_first(std::span<const limit::Check> checks) {
    if (local_->leases().owes()) refund(kMaxUnderWay);
    settler_->before(checks);
  }
  bool settle(std::span<const limit::Check> checks, std::span<const Duration> held_for);
  /// See SharedLimiter::charge.
  static Task<error_code> charge(std::shared_ptr<Background> self, limit::Check owed, std::string token);

  /// Gives all leases back, then stops the servers. Nothing else is sent afterwards.
  void stop();
  /// Stops the servers now.
  void halt();

  std::uint64_t refunded() const noexcept { return refunded_.load(std::memory_order_relaxed); }
  /// Returns the number of settled checks, by the settler or otherwise.
  std::uint64_t settled() const noexcept { return settler_->settled() + settled_.load(std::memory_order_relaxed); }
  const Settler& settler() const noexcept { return *settler_; }
  std::uint64_t charged() const noexcept { return charged_.load(std::memory_order_relaxed); }

 private:
  using Timer = boost::asio::basic_waitable_timer<SteadyClock, boost::asio::wait_traits<SteadyClock>,
                                                  boost::asio::io_context::executor_type>;

  /// Checks that the settler does not accept, with copies of the data that they point to.
  struct Settlement {
    std::vector<limit::Check> checks;
    std::vector<std::shared_ptr<const limit::Rule>> rules;
    std::string keys;
    bool repeated = false;
  };

  // beyond it such settlements are dropped, and refunds wait for the next tick
  static constexpr std::size_t kMaxUnderWay = 512;

  static Task<void> fetch(std::shared_ptr<Background> self, limit::Leases::PendingRefill refill);
  static Task<void> give_back(std::shared_ptr<Background> self, limit::Leases::PendingRefill refill);
  static Task<void> say(std::shared_ptr<Background> self, std::unique_ptr<Settlement> settlement);

  void refill();
  void refund(std::size_t most);
  void end_leases();
  void start(std::unique_ptr<Settlement> settlement);
  void arm();
  void tick();

  std::shared_ptr<Servers> servers_;
  std::shared_ptr<limit::Local> local_;
  std::shared_ptr<Waiters> waiters_;
  const std::shared_ptr<ActiveCalls> calls_;
  const std::shared_ptr<Settler> settler_;
  const std::function<std::uint32_t()> sharers_;
  limit::RuleCopies rules_;
  Timer timer_;
  bool armed_ = false;
  bool stopped_ = false;
  std::vector<std::unique_ptr<Settlement>> again_;  ///< sent again at the next tick
  std::atomic<std::uint64_t> refunded_{0};
  std::atomic<std::uint64_t> settled_{0};  ///< without those of the settler
  std::atomic<std::uint64_t> charged_{0};
};

}  // namespace headgate::redis
