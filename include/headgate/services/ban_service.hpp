#pragma once
// Suspensions outside the path: the log that gateways share, and what an operator is told.

#include "headgate/config/config.hpp"
#include "headgate/limit/ban.hpp"
#include "headgate/limit/ban_table.hpp"
#include "headgate/services/log_exchange.hpp"
#include "headgate/services/log_refill.hpp"
#include "headgate/services/main_calls.hpp"
#include "headgate/services/service.hpp"
#include "headgate/services/webhook_service.hpp"

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

namespace headgate::services {

/// One for each process, on the main thread except where it says any thread. Suspensions of limits in Redis are written
/// to the shared log and read from it; those of limits in memory stay in this process.
class BanService final : public Service {
 public:
  /// The clock outlives it.
  BanService(Clock& clock, OpenLog open, std::shared_ptr<WebhookService> webhooks);

  limit::BanTable& table() noexcept { return table_; }   ///< any thread
  std::shared_ptr<const config::Config> config() const;  ///< any thread: the active one; null before it
  void adopt(const std::shared_ptr<const ActiveConfig>& active) override;
  void start() override { look_for_ended(); }
  /// Whether the log was read once, or there is none.
  bool has_read() const noexcept { return log_->has_read(); }
  /// Whether suspensions under this limit are shared. Any thread.
  bool shares(const std::string& limit) const;
  /// Tells how far the changes until now have come. Any thread; see LogExchange.
  void when_heard(LogExchange::Tell tell) { log_->when_heard(std::move(tell)); }
  /// What waits for Redis is lost.
  void stop() override;

 private:
  void changed(const limit::Ban& ban);  // any thread
  void apply(const std::vector<limit::LogEntry>& entries);
  std::vector<LogRefill::Known> known() const;
  void tell_dropped();  // any thread
  void look_for_ended();

  Clock& clock_;
  MainCalls calls_;
  const OpenLog open_;
  const std::shared_ptr<WebhookService> webhooks_;
  const std::shared_ptr<LogExchange> log_;
  LogRefill refill_;
  std::unique_ptr<Alarm> alarm_;
  bool stopped_ = false;

  mutable std::mutex mutex_;
  std::set<std::string> shared_;  ///< names of the limits whose suspensions are shared
  std::shared_ptr<const config::Config> config_;
  std::map<std::string, std::uint64_t> told_dropped_;  ///< by limit, as the log has it
  Clock::Steady look_at_dropped_{};
  limit::BanTable table_;
};

}  // namespace headgate::services
