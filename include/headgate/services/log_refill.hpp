#pragma once
// Writes into a shared log again what this gateway knows and the log has lost: Redis was emptied, a failover lost it,
// or so much came after it that it was cut off. So gateways that start later learn of it.

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

/// One for each log, on the main thread; lives as long as its LogExchange. Every gateway does the same, so each begins
/// at a random moment and in a random order, writes a few at a time, and leaves out what another one has written
/// meanwhile.
class LogRefill {
 public:
  static constexpr std::size_t kAtOnce = 500;
  static constexpr auto kPeriod = std::chrono::milliseconds(300);

  /// Something that holds now, and what it is about.
  struct Known {
    Hash name;
    limit::LogEntry entry;
  };
  using All = std::function<std::vector<Known>()>;

  /// `all` is what the log should have.
  LogRefill(Clock& clock, LogExchange& log, All all);
  LogRefill(const LogRefill&) = delete;
  LogRefill& operator=(const LogRefill&) = delete;

  static Hash name_of(std::string_view limit, std::string_view key);
  /// The log has an entry about this, or gets one from here that is newer than what was known.
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
  bool watches_ = false;  ///< whether it matters what the log has
  bool reads_ = false;    ///< the log is being read from its beginning
  bool stopped_ = false;
};

}  // namespace headgate::services
