#pragma once
// The sheet: the billed use that one worker has counted and not handed over yet.

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

/// Of one worker; its thread only. No I/O.
class UseSheet {
 public:
  /// How many keys it has at most; the use of further ones is lost. It is handed over about once a second.
  static constexpr std::size_t kMaxKeys = 65'536;

  struct Taken {
    std::vector<std::pair<Day, UseByField>> days;
    Use lost;
  };

  /// Counts a request that cost `cost` and ended at `now`. Nothing happens for a cost of 0 or less. `days` is the
  /// calendar that bills go by.
  void add(const std::shared_ptr<const Calendar>& days, Instant now, std::string_view limit, std::string_view key,
           std::int64_t cost);
  /// Hands over what was counted since the last call.
  Taken take();

 private:
  void turn_to(const std::shared_ptr<const Calendar>& days, Instant now);

  std::shared_ptr<const Calendar> days_;  ///< that `today_` is of
  Calendar::Window today_{};              ///< of the last request
  Day date_{};
  std::size_t at_ = 0;  ///< of that day in `taken_`
  std::size_t keys_ = 0;
  Taken taken_;
  std::string field_;  ///< memory for add()
};

}  // namespace headgate::limit
