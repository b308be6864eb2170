#pragma once
// The billed use that one worker has counted and has not handed over yet. Used by gateway and LedgerQueue.

#include "headgate/core/time.hpp"
#include "headgate/limit/calendar.hpp"
#include "headgate/limit/ledger.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::limit {

/// The sheet of one worker; its thread only. No I/O.
class UseSheet {
 public:
  /// Maximum number of keys; the use of further keys is lost. The sheet is handed over about once a second.
  static constexpr std::size_t kMaxKeys = 65'536;

  struct Content {
    std::vector<std::pair<Day, UseByField>> days;
    Use lost;
  };

  /// Counts a request with this `cost` that ended at `now`. Does nothing for a cost of 0 or less. `days` is the billing
  /// calendar.
  void add(const std::shared_ptr<const Calendar>& days, Instant now, std::string_view limit, std::string_view key,
           std::int64_t cost);
  /// Returns the use that was counted since the last call.
  Content take();

 private:
  void turn_to(const std::shared_ptr<const Calendar>& days, Instant now);

  std::shared_ptr<const Calendar> days_;  ///< the calendar of `today_`
  Calendar::Window today_{};              ///< the day of the last request
  Day date_{};
  std::size_t at_ = 0;  ///< index of that day in `taken_`
  std::size_t keys_ = 0;
  Content taken_;
  std::string field_;  ///< reused memory of add()
};

}  // namespace headgate::limit
