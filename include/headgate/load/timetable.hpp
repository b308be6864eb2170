#pragma once
// The schedule of requests: arrivals that no answer slows down (an open loop). Used by Crowd.

#include "headgate/core/per_enum.hpp"
#include "headgate/core/random.hpp"
#include "headgate/core/time.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::load {

/// The shape of the traffic. Arrivals are always independent of each other, like those of many callers: the times
/// between them are exponentially distributed.
enum class Like : std::uint8_t {
  steady,  ///< a constant rate
  burst,   ///< ten times the rate for a second in every ten
  attack,  ///< steady, and from the third second on a few attackers that send five times the rate and ignore refusals
  flash_sale,  ///< a tenth of the rate, and each minute ten times the rate at once, which halves every four seconds
};
/// The words of the command line.
inline constexpr WordsUpTo<Like::flash_sale> kLikes({"steady", "burst", "attack", "flash-sale"});

inline constexpr std::uint32_t kMaxCallers = 100'000;
inline constexpr double kMaxRate = 100'000;  ///< requests per second

struct TimetableOptions {
  Like like = Like::steady;
  double rate = 50;                            ///< requests per second, above 0, at most kMaxRate
  Duration length = std::chrono::seconds(30);  ///< length of the timetable; no arrival comes later
  std::uint32_t callers = 100;                 ///< number of callers, from 1 to kMaxCallers; attackers are additional
  std::uint64_t seed = 1;                      ///< the same seed gives the same arrivals
};

/// Returns the number of attackers in addition to `callers`: one for each twenty, at least one. None unless the shape
/// is an attack.
std::uint32_t attackers(Like like, std::uint32_t callers) noexcept;

/// Returns the arrivals per second of all senders together at the time `at` after the start.
double rate_at(const TimetableOptions& options, Duration at) noexcept;

/// A request, and the time after the start at which it should be sent.
struct Intended {
  Duration at{0};
  std::uint32_t caller = 1;  ///< number of the caller, from 1; attackers have the numbers after the others
  bool attacks = false;
};

/// Draws one arrival after another. Holds only the next arrival, so its memory does not grow. One thread.
class Timetable {
 public:
  explicit Timetable(const TimetableOptions& options);
  /// Returns the next arrival; empty if there are no more.
  const std::optional<Intended>& next() const noexcept { return next_; }
  void take();

 private:
  TimetableOptions options_;
  double most_;  ///< upper bound of rate_at()
  Random random_;
  double at_ = 0;  ///< time of the last candidate, in seconds
  std::uint32_t visitor_ = 0;
  std::optional<Intended> next_;
};

}  // namespace headgate::load
