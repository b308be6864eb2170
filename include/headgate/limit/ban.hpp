#pragma once
// A suspension of one key, and the log of suspensions that gateways share.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::limit {

/// Why a key was suspended.
enum class BanReason : std::uint8_t { rejections, statuses, operated };

/// One suspension: the requests of `key` under `limit` are refused until `until`. A suspension that was lifted ends at
/// the moment of the lift.
struct Ban {
  std::string limit;
  std::string key;  ///< as in Check; any bytes, at most 256
  Instant since{};
  Instant until{};
  std::uint32_t level = 0;  ///< how many suspensions before it made it longer
  BanReason reason = BanReason::rejections;
  bool lifted = false;    ///< an operator ended it
  bool observed = false;  ///< its limit only observes: nobody is refused
  /// Of an entry of the shared log: rises with each entry. 0: not in the log yet.
  std::uint64_t version = 0;
};

/// The log of suspensions that gateways share. One thread. Instants are those of this gateway's clock, whatever the
/// clocks of others say.
class BanLog {
 public:
  /// What a read found.
  struct News {
    std::vector<Ban> bans;  ///< in the order of the log; an entry may come again in a later read
    std::string position;   ///< for the next read
    bool more = false;      ///< there are more entries: read again at once
  };

  virtual ~BanLog() = default;
  /// No error once the log has the entry. After an error it may or may not have it; appending it again does no harm.
  /// `ban` must outlive the await.
  virtual Task<error_code> append(const Ban& ban) = 0;
  /// The entries behind `position`; "" is the beginning of the log. A few hundred at most.
  virtual Task<Result<News>> read(std::string_view position) = 0;
  /// Ends its connections; calls under way fail.
  virtual void stop() = 0;
};

}  // namespace headgate::limit
