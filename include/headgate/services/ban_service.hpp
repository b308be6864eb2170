#pragma once
// Suspensions outside the request path: the shared log, and reports to the operator.

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

/// The suspensions of this process. One per process; main thread, except where a function allows any thread.
/// Suspensions under limits in Redis are written to the shared log and read from it; those under limits in memory stay
/// in this process.
class BanService final : public Service {
 public:
  /// The clock must outlive this object.
  BanService(Clock& clock, OpenLog open, std::shared_ptr<WebhookService> webhooks);

  limit::BanTable& table() noexcept { return table_; }  ///< Any thread.
  /// Returns the active configuration; null before the first one. Any thread.
  std::shared_ptr<const config::Config> config() const;
  void adopt(const std::shared_ptr<const ActiveConfig>& active) override;
  void start() override { look_for_ended(); }
  /// Returns whether the log was read at least once, or no log is used.
  bool has_read() const noexcept { return log_->has_read(); }
  /// Returns whether suspensions under this limit are shared. Any thread.
  bool shares(const std::string& limit) const;
  /// Calls `tell` with the number of gateways that have received the changes so far. Any thread; see LogExchange.
  void when_heard(LogExchange::Tell tell) { log_->when_heard(std::move(tell)); }
  /// Stops the service. Changes that wait for Redis are lost.
  void stop() override;

 private:
  void changed(const limit::Ban& ban);  // Any thread.
  void apply(const std::vector<limit::LogEntry>& entries);
  std::vector<LogRefill::Known> known() const;
  void tell_dropped();  // Any thread.
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
  std::set<std::string> shared_;  ///< Names of the limits whose suspensions are shared.
  std::shared_ptr<const config::Config> config_;
  /// Number of dropped suspensions by limit, as reported in the event log.
  std::map<std::string, std::uint64_t> told_dropped_;
  Clock::Steady look_at_dropped_{};
  limit::BanTable table_;
};

}  // namespace headgate::services
