#pragma once
// After the limits have decided about a request, checks which percentages of a quota its key has reached, and leaves a
// notice for each.

#include "headgate/core/clock.hpp"
#include "headgate/core/hash.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/limit/notice.hpp"
#include "headgate/limit/quota.hpp"
#include "headgate/limit/recent_table.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace headgate::gateway {

/// The notices of one worker; its thread only. While a key beyond a percentage continues to send requests, the worker
/// leaves its notice again about once in kSilent. The receiver knows which notices were sent already.
class Notices {
 public:
  static constexpr Duration kSilent = std::chrono::seconds(5);
  /// number of keys beyond a percentage that are remembered; if there are more, notices are repeated sooner
  static constexpr std::size_t kRemembered = 4096;

  /// If `inbox` is null, quotas are not checked.
  Notices(Clock& clock, limit::NoticeInbox* inbox) : clock_(clock), inbox_(inbox), left_(inbox ? kRemembered : 1) {}

  /// Handles the decisions that are final on admission: all except those whose cost is known only from the answer.
  void admitted(Exchange& x);
  /// Handles the end of an exchange, when all decisions are final, including rejections.
  void ended(Exchange& x);

 private:
  struct Left {
    Hash hash;  ///< the hash of the check
    limit::Moment until;
    std::uint8_t reached = 0;  ///< the percentages whose notices were left, as in limit::reached
  };

  void look(const Exchange& x, const CheckedLimit& checked);
  void leave(const Exchange& x, const CheckedLimit& checked, std::size_t at, const limit::QuotaUse& use,
             std::uint8_t reached);

  Clock& clock_;
  limit::NoticeInbox* inbox_;
  limit::RecentTable<Left> left_;
};

}  // namespace headgate::gateway
