#pragma once
// Overrides outside the request path: those known to this process, the shared log, and their expiry.

#include "headgate/config/config.hpp"
#include "headgate/core/result.hpp"
#include "headgate/gateway/override_table.hpp"
#include "headgate/limit/override.hpp"
#include "headgate/limit/override_book.hpp"
#include "headgate/services/log_exchange.hpp"
#include "headgate/services/log_refill.hpp"
#include "headgate/services/refusal.hpp"
#include "headgate/services/service.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::services {

/// The overrides of this process. One per process; main thread, except where a function allows any thread. Overrides of
/// limits in Redis are written to the shared log and read from it; those of limits in memory stay in this process. Both
/// survive reloads.
class OverrideService final : public Service, public std::enable_shared_from_this<OverrideService> {
 public:
  using Table = std::shared_ptr<const gateway::OverrideTable>;
  /// Compiles overrides for the active configuration; null if there are none.
  using Compile = std::function<Table(const std::vector<limit::Override>& overrides)>;
  /// Passes the overrides in force to the workers, then calls `done`, on any thread.
  using Use = std::function<void(const std::vector<limit::Override>& overrides, std::function<void()> done)>;

  /// The clock must outlive this object.
  OverrideService(Clock& clock, OpenLog open);

  const limit::OverrideBook& book() const noexcept { return book_; }  ///< Any thread.
  /// Sets the functions that use the overrides. From then on changes reach the workers.
  void serve(Compile compile, Use use);
  void adopt(const std::shared_ptr<const ActiveConfig>& active) override;
  /// Records that the active configuration uses `table` now and is otherwise unchanged. Logs the overrides that have no
  /// effect with this table.
  void in_force(const gateway::OverrideTable* table);

  /// The result of a change.
  struct Done {
    limit::Override override;
    bool replaced = false;
    bool shared = false;  ///< Whether the change is shared with other gateways.
    Spread spread{};      ///< The spread of the change; set only if the change is shared.
  };
  using Tell = std::function<void(Result<Done, Refusal>)>;
  /// Sets the override of a key, in place of an earlier one. Calls `tell` once all workers use the override and the
  /// other gateways have confirmed it, or the time for their confirmations is over.
  void put(limit::Override wanted, Tell tell);
  void lift(const std::string& limit, const std::string& key, Tell tell);

  /// Takes over the overrides of the previous process, before the workers run. Returns how many are new here.
  std::size_t restore(const std::vector<limit::Override>& before);

  /// Returns whether the log was read at least once, or no log is used.
  bool has_read() const noexcept { return log_->has_read(); }
  /// Stops the service. Changes that wait for Redis are lost.
  void stop() override;

 private:
  void apply(const std::vector<limit::LogEntry>& entries, std::function<void()> done);
  void changed(const limit::Override& change, bool replaced, Tell tell);
  void refresh(std::function<void()> done);
  std::vector<LogRefill::Known> known() const;
  void end_when_due();
  void arm();

  Clock& clock_;
  const OpenLog open_;
  const std::shared_ptr<LogExchange> log_;
  LogRefill refill_;
  std::unique_ptr<Alarm> alarm_;
  limit::OverrideBook book_;
  Compile compile_;
  Use use_;
  std::shared_ptr<const config::Config> config_;
  std::set<std::string> shared_;  ///< Names of the limits whose overrides are shared.
  /// Limit and key of the overrides without effect, as the log reported them.
  std::set<std::pair<std::string, std::string>> without_effect_;
  bool stopped_ = false;
};

}  // namespace headgate::services
