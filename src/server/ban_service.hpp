#pragma once
// Suspensions outside the path: the log that gateways share, and what an operator is told.

#include "webhook_service.hpp"

#include "headgate/config/config.hpp"
#include "headgate/core/task.hpp"
#include "headgate/limit/ban.hpp"
#include "headgate/limit/ban_table.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace headgate::server {

/// Where the log of this configuration is; null if it has none.
using OpenBanLog = std::function<std::shared_ptr<limit::BanLog>(const config::Config& config)>;

/// One for each process, on the main thread except where it says any thread. Suspensions of limits in Redis are written
/// to the shared log and read from it three times a second; those of limits in memory stay in this process.
class BanService : public std::enable_shared_from_this<BanService> {
 public:
  /// How many changes wait for Redis at most; beyond it the oldest is dropped. The suspension still holds here.
  static constexpr std::size_t kMaxWaiting = 65'536;

  BanService(boost::asio::io_context& loop, OpenBanLog open, std::shared_ptr<WebhookService> webhooks);

  limit::BanTable& table() noexcept { return table_; }   ///< any thread
  std::shared_ptr<const config::Config> config() const;  ///< any thread: the active one; null before it
  void adopt(std::shared_ptr<const config::Config> config);
  /// Runs the loop until the log has been read once, at most for this long.
  void await_first(Duration most);
  /// Ends the timer. What waits for Redis is lost.
  void stop();

 private:
  void changed(const limit::Ban& ban);  // any thread
  static Task<void> exchange(std::shared_ptr<BanService> self, std::shared_ptr<limit::BanLog> log);
  Task<bool> send(limit::BanLog& log);
  Task<bool> receive(limit::BanLog& log);
  void tick();
  void arm();

  boost::asio::io_context& loop_;
  const OpenBanLog open_;
  const std::shared_ptr<WebhookService> webhooks_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<limit::BanLog> log_;
  std::set<std::string> shared_;  ///< names of the limits whose suspensions are shared
  std::string position_;
  bool read_once_ = false;
  bool under_way_ = false;
  bool stopped_ = false;

  mutable std::mutex mutex_;
  std::deque<limit::Ban> waiting_;
  std::shared_ptr<const config::Config> config_;
  limit::BanTable table_;
};

}  // namespace headgate::server
