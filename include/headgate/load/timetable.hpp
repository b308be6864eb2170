#pragma once
// When which caller asks: arrivals on a schedule that no answer slows down (an open loop). Used by Crowd.

#include "headgate/core/per_enum.hpp"
#include "headgate/core/random.hpp"
#include "headgate/core/time.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::load {

/// What the traffic is like. In all of them arrivals are independent of each other, as those of many callers are: the
/// times between them are exponential.
enum class Like : std::uint8_t {
  steady,      ///< as many all the time
  burst,       ///< ten times as many for a second in each ten
  attack,      ///< steady, and from the third second on a few who send five times that and heed no refusal
  flash_sale,  ///< a tenth, and each minute ten times as many at once, which fade: half as many every four seconds
};
/// As they are written.
inline constexpr WordsUpTo<Like::flash_sale> kLikes({"steady", "burst", "attack", "flash-sale"});

inline constexpr std::uint32_t kMaxCallers = 100'000;
inline constexpr double kMaxRate = 100'000;  ///< requests a second

struct TimetableOptions {
  Like like = Like::steady;
  double rate = 50;                            ///< requests a second, above 0, at most kMaxRate
  Duration length = std::chrono::seconds(30);  ///< no arrival comes later
  std::uint32_t callers = 100;                 ///< from 1 to kMaxCallers; attackers come on top
  std::uint64_t seed = 1;                      ///< the same seed draws the same arrivals
};

/// Returns how many attackers there are beside `callers`: one for each twenty, at least one. None unless it is like an
/// attack.
std::uint32_t attackers(Like like, std::uint32_t callers) noexcept;

/// Arrivals a second, of everybody together, so long after the start.
double rate_at(const TimetableOptions& options, Duration at) noexcept;

/// One request that should be sent at that time after the start.
struct Intended {
  Duration at{0};
  std::uint32_t caller = 1;  ///< from 1; attackers are numbered behind the others
  bool attacks = false;
};

/// Draws one arrival after the other. One thread; keeps no more than one.
class Timetable {
 public:
  explicit Timetable(const TimetableOptions& options);
  /// The earliest that was not taken. Nothing: there is none any more.
  const std::optional<Intended>& next() const noexcept { return next_; }
  void take();

 private:
  TimetableOptions options_;
  double most_;  ///< rate_at() is never above it
  Random random_;
  double at_ = 0;  ///< of the last candidate, in seconds
  std::uint32_t visitor_ = 0;
  std::optional<Intended> next_;
};

}  // namespace headgate::load
