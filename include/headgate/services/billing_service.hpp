#pragma once
// Moves billed use from the workers to the ledger, and reads reports from the ledger.

#include "headgate/config/config.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/limit/ledger_queue.hpp"
#include "headgate/observe/line_gate.hpp"
#include "headgate/observe/metrics.hpp"
#include "headgate/services/main_calls.hpp"
#include "headgate/services/refusal.hpp"
#include "headgate/services/service.hpp"
#include "headgate/services/usage_history.hpp"
#include "headgate/services/usage_page.hpp"

#include <bitset>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace headgate::services {

/// Returns the ledger of a configuration; null if the configuration needs none.
using OpenLedger = std::function<std::shared_ptr<limit::Ledger>(const config::Config& config)>;

/// Calls `each` on the thread of every worker with the use that the worker has counted since the last call. Then calls
/// `done` once, on the thread of the last worker, or before the function returns. Does nothing while no worker runs.
using TakeSheets = std::function<void(std::function<void(limit::UseSheet::Content)> each, std::function<void()> done)>;

/// State of the transfer of billed use to the ledger.
struct BillingCounts {
  std::size_t waiting = 0;  ///< Keys whose use the ledger does not have yet.
  Duration behind{0};       ///< Time for which use has been waiting.
  limit::Use lost;          ///< Use that was lost since startup.
};

/// The transfer of billed use to the ledger. One per process; main thread, except where a function allows any thread.
/// About once per second, takes the use that the workers have counted and adds it to the ledger. Use that the ledger
/// does not accept waits in this object.
class BillingService final : public Service, public std::enable_shared_from_this<BillingService> {
 public:
  /// The clock must outlive this object.
  BillingService(Clock& clock, OpenLedger open);

  /// Sets the source of use, until stop().
  void collect_from(TakeSheets take) { take_ = std::move(take); }
  void adopt(const std::shared_ptr<const ActiveConfig>& active) override;
  /// Tries to add the remaining use while the loop runs, for at most kLastAttempt, and then ends. Call it when no
  /// worker runs any more.
  void stop() override;
  /// Adds what a worker has counted. Any thread.
  void add(limit::UseSheet::Content taken);
  /// Returns the state of the transfer; empty if nothing was ever billed. Any thread.
  std::optional<BillingCounts> counts() const;

  using Answer = Result<std::string, Refusal>;
  using Tell = std::function<void(Answer)>;
  /// A call for one page of a day's report. `day` and `cursor` are unparsed; an empty cursor means the beginning.
  struct Call {
    std::string day;
    std::string limit;
    std::string cursor;
    std::size_t count = 0;
  };
  /// Passes `tell` one line of JSON for each record. Any thread; `tell` is called on the main thread, or dropped if the
  /// service has stopped.
  void ask(Call call, Tell tell);
  /// A call for the use of one key. The days are unparsed. An empty first day means the first day that is kept, an
  /// empty last day means today.
  struct HistoryCall {
    std::vector<HistoryQuestion::Counter> counters;
    std::string from;
    std::string to;
  };
  /// Passes `tell` the history as JSON. For threads see ask().
  void ask_history(HistoryCall call, Tell tell);
  /// Passes `tell` the known days as JSON. For threads see ask().
  void ask_days(Tell tell);

  static constexpr Duration kLastAttempt = std::chrono::seconds(2);
  /// Time after the end of a day until the day counts as complete. By then all gateways have added their use.
  static constexpr Duration kSettles = std::chrono::minutes(5);

 private:
  enum class Why { too_many_keys, day_full, ended };
  struct PendingQuestion {
    UsageQuestion question;
    std::optional<UsageHistory> history;  ///< The history that the call asks for; empty if it asks for a page.
    Tell tell;
  };

  void arm(Duration time);
  void tick();
  void collect();
  void take_in();
  void send();
  static Task<void> send_lane(std::shared_ptr<BillingService> self, std::shared_ptr<limit::Ledger> ledger,
                              unsigned lane);
  void lost(const limit::Use& use, Why why);
  void note();
  void close();
  Duration kept_from_now(limit::Day day) const;
  bool is_complete(limit::Day day, Instant now) const;
  Answer days() const;
  std::optional<Refusal> refuse(const Call& call, UsageQuestion& question) const;
  void read_next();
  static Task<void> read(std::shared_ptr<BillingService> self, std::shared_ptr<limit::Ledger> ledger,
                         PendingQuestion asked);
  limit::Day kept_from(Instant now) const;
  std::optional<Refusal> refuse(HistoryCall& call, HistoryQuestion& question) const;
  void enqueue(PendingQuestion asked);
  static Task<void> read_history(std::shared_ptr<BillingService> self, std::shared_ptr<limit::Ledger> ledger,
                                 PendingQuestion asked);

  Clock& clock_;
  MainCalls calls_;
  const OpenLedger open_;
  std::unique_ptr<Alarm> alarm_;
  std::shared_ptr<const config::Config> config_;
  std::shared_ptr<limit::Ledger> ledger_;
  TakeSheets take_;
  limit::LedgerQueue queue_;
  std::bitset<limit::kLanes> sending_;
  std::deque<PendingQuestion> asked_;
  bool reading_ = false;
  bool armed_ = false;
  bool stopping_ = false;
  bool closed_ = false;
  Clock::Steady give_up_at_{};
  std::optional<Clock::Steady> waits_since_;
  observe::LineGate gate_;

  mutable std::mutex mutex_;
  std::deque<limit::UseSheet::Content> inbox_;
  BillingCounts counts_;
  bool any_ = false;          ///< True if something is or was billed.
  bool told_closed_ = false;  ///< True from stop() on: new calls are dropped.
};

/// Adds headgate_billing_* to the metrics; the families are absent if nothing is billed.
void collect_billing(observe::Registry& registry, std::function<std::optional<BillingCounts>()> ask);

}  // namespace headgate::services
