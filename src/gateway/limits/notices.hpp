#pragma once
// Looks, after a request was decided, which percentages of a quota its key has reached, and leaves a notice of each.

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

/// Of one worker; its thread only. A worker leaves a notice about once in kSilent for each key beyond a percentage, as
/// long as it has requests: whoever gets them knows which were told already.
class Notices {
 public:
  static constexpr Duration kSilent = std::chrono::seconds(5);
  static constexpr std::size_t kRemembered = 4096;  ///< keys beyond a percentage; of more, notices come more often

  /// `inbox` may be null: then nobody is told, and nothing is looked at.
  Notices(Clock& clock, limit::NoticeInbox* inbox) : clock_(clock), inbox_(inbox), left_(inbox ? kRemembered : 1) {}

  /// What the limits decided is decided now, but for those whose cost only the answer says.
  void admitted(Exchange& x);
  /// All of it is, also what was rejected.
  void ended(Exchange& x);

 private:
  struct Left {
    Hash hash;  ///< of the check
    limit::Moment until;
    std::uint8_t reached = 0;  ///< the percentages of which it left notices, as in limit::reached
  };

  void look(const Exchange& x, const CheckedLimit& checked);
  void leave(const Exchange& x, const CheckedLimit& checked, std::size_t at, const limit::QuotaUse& use,
             std::uint8_t reached);

  Clock& clock_;
  limit::NoticeInbox* inbox_;
  limit::RecentTable<Left> left_;
};

}  // namespace headgate::gateway
