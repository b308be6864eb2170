#pragma once
// Overrides outside the path: what this process knows of them, the log that gateways share, and their ends.

#include "headgate/config/config.hpp"
#include "headgate/core/result.hpp"
#include "headgate/gateway/override_table.hpp"
#include "headgate/limit/override.hpp"
#include "headgate/limit/override_book.hpp"
#include "headgate/services/log_exchange.hpp"
#include "headgate/services/log_refill.hpp"
#include "headgate/services/refused.hpp"
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

/// One for each process, on the main thread except where it says any thread. Overrides of limits in Redis are written
/// to the shared log and read from it; those of limits in memory stay in this process. A reload keeps both.
class OverrideService final : public Service, public std::enable_shared_from_this<OverrideService> {
 public:
  using Table = std::shared_ptr<const gateway::OverrideTable>;
  /// What the active configuration makes of overrides; null for none.
  using Compile = std::function<Table(const std::vector<limit::Override>& overrides)>;
  /// Gives the workers what is in force, then calls `done`, on any thread.
  using Use = std::function<void(const std::vector<limit::Override>& overrides, std::function<void()> done)>;

  /// The clock outlives it.
  OverrideService(Clock& clock, OpenLog open);

  const limit::OverrideBook& book() const noexcept { return book_; }  ///< any thread
  /// What uses them; from here on a change reaches the workers.
  void serve(Compile compile, Use use);
  void adopt(const std::shared_ptr<const ActiveConfig>& active) override;
  /// The active configuration has `table` now, and is else the same: logs what has no effect in it.
  void in_force(const gateway::OverrideTable* table);

  /// How a change ended.
  struct Done {
    limit::Override override;
    bool replaced = false;
    bool shared = false;  ///< whether other gateways have it too
    Spread spread{};      ///< if it is shared
  };
  using Tell = std::function<void(Result<Done, Refused>)>;
  /// Gives a key a size, in place of what an operator gave it before. Tells once all workers use it, and it is known
  /// who has heard.
  void put(limit::Override wanted, Tell tell);
  void lift(const std::string& limit, const std::string& key, Tell tell);

  /// Takes over what the process before this one had, before the workers run. Returns how many are new here.
  std::size_t restore(const std::vector<limit::Override>& before);

  /// Whether the log was read once, or there is none.
  bool has_read() const noexcept { return log_->has_read(); }
  /// What waits for Redis is lost.
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
  std::set<std::string> shared_;                                  ///< names of the limits whose overrides are shared
  std::set<std::pair<std::string, std::string>> without_effect_;  ///< as the log has it
  bool stopped_ = false;
};

}  // namespace headgate::services
