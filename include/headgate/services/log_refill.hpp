#pragma once
// Restores entries that this gateway knows and the shared log has lost, because Redis was emptied, a failover lost
// them, or later entries pushed them out. Gateways that start later then find these entries in the log.

#include "headgate/core/hash.hpp"
#include "headgate/limit/shared_log.hpp"
#include "headgate/services/log_exchange.hpp"

#include <boost/unordered/unordered_flat_set.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

namespace headgate::services {

/// The refill of one log. Main thread only; lives as long as its LogExchange. Every gateway refills the log. To avoid
/// duplicates, each begins at a random moment and in a random order, and writes a few entries at a time. It leaves out
/// entries that another gateway has written in the meantime.
class LogRefill {
 public:
  static constexpr std::size_t kAtOnce = 500;
  static constexpr auto kPeriod = std::chrono::milliseconds(300);

  /// A change in force, and its subject.
  struct Known {
    Hash name;
    limit::LogEntry entry;
  };
  using All = std::function<std::vector<Known>()>;

  /// `all` returns the entries that the log should have.
  LogRefill(Clock& clock, LogExchange& log, All all);
  LogRefill(const LogRefill&) = delete;
  LogRefill& operator=(const LogRefill&) = delete;

  static Hash name_of(std::string_view limit, std::string_view key);
  /// Records that the log has an entry about this subject, or that this gateway adds an entry that is newer than the
  /// known one.
  void seen(const Hash& name);
  void stop();

 private:
  void begins();
  void ends();
  void arm(Duration after);
  void write_some();

  LogExchange& log_;
  const All all_;
  std::unique_ptr<Alarm> alarm_;
  std::minstd_rand random_;
  struct ByHash {
    std::size_t operator()(const Hash& hash) const noexcept { return static_cast<std::size_t>(hash.low); }
  };
  boost::unordered_flat_set<Hash, ByHash> seen_;
  std::vector<Known> missing_;
  bool watches_ = false;  ///< Whether an entry that is missing from the log is noticed.
  bool reads_ = false;    ///< True while the log is being read from its beginning.
  bool stopped_ = false;
};

}  // namespace headgate::services
