#pragma once
// Suspensions outside the path: the log that gateways share, and what an operator is told.

#include "log_exchange.hpp"
#include "log_refill.hpp"
#include "webhook_service.hpp"

#include "headgate/config/config.hpp"
#include "headgate/limit/ban.hpp"
#include "headgate/limit/ban_table.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headgate::server {

/// One for each process, on the main thread except where it says any thread. Suspensions of limits in Redis are written
/// to the shared log and read from it; those of limits in memory stay in this process.
class BanService : public std::enable_shared_from_this<BanService> {
 public:
  BanService(boost::asio::io_context& loop, OpenLog open, std::shared_ptr<WebhookService> webhooks);

  limit::BanTable& table() noexcept { return table_; }   ///< any thread
  std::shared_ptr<const config::Config> config() const;  ///< any thread: the active one; null before it
  void adopt(std::shared_ptr<const config::Config> config);
  /// Runs the loop until the log has been read once, at most until `end`.
  void await_first(std::chrono::steady_clock::time_point end) { log_->await_first(end); }
  /// Whether suspensions under this limit are shared. Any thread.
  bool shares(const std::string& limit) const;
  /// Tells how far the changes until now have come. Any thread; see LogExchange.
  void when_heard(LogExchange::Tell tell) { log_->when_heard(std::move(tell)); }
  /// Ends the timers. What waits for Redis is lost.
  void stop();

 private:
  void changed(const limit::Ban& ban);  // any thread
  void apply(const std::vector<limit::LogEntry>& entries);
  std::vector<LogRefill::Known> known() const;
  void tell_dropped();  // any thread
  void look_for_ended();

  boost::asio::io_context& loop_;
  const OpenLog open_;
  const std::shared_ptr<WebhookService> webhooks_;
  const std::shared_ptr<LogExchange> log_;
  LogRefill refill_;
  boost::asio::steady_timer timer_;
  bool stopped_ = false;

  mutable std::mutex mutex_;
  std::set<std::string> shared_;  ///< names of the limits whose suspensions are shared
  std::shared_ptr<const config::Config> config_;
  std::map<std::string, std::uint64_t> told_dropped_;  ///< by limit, as the log has it
  std::chrono::steady_clock::time_point look_at_dropped_{};
  limit::BanTable table_;
};

}  // namespace headgate::server
