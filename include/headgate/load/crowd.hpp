#pragma once
// The callers: who is to send when, what they were told, and whether that was true. It does no I/O and reads no clock:
// times are those since the start. Used by LoadRun.

#include "headgate/core/time.hpp"
#include "headgate/load/percentiles.hpp"
#include "headgate/load/timetable.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::load {

/// One request that is due.
struct DueRequest {
  Duration due{0};
  std::uint32_t caller = 1;
  bool attacks = false;
  bool again = false;  ///< its caller was told to come again at this moment
};

/// How a request ended.
enum class Ending : std::uint8_t { answered, not_connected, timed_out, cut, unfinished };

/// What a caller saw of its request.
struct SeenAnswer {
  Ending ending = Ending::answered;
  unsigned status = 0;             ///< if answered
  std::optional<Duration> wait{};  ///< Retry-After-Ms, else Retry-After, of a 429 or 503
  bool in_line = false;            ///< whether it waits in a waiting room: then `wait` is when it asks again
  std::string ticket{};            ///< of a waiting room, to be sent with the next request; empty: none came
  std::uint64_t bytes = 0;         ///< of the body
};

/// Of some callers together.
struct CallerFigures {
  std::uint64_t sent = 0;
  std::uint64_t allowed = 0;   ///< answered with less than 400
  std::uint64_t rejected = 0;  ///< with 429, unless in line
  std::uint64_t in_line = 0;   ///< told by a waiting room to wait
  std::uint64_t other = 0;     ///< answered with anything else
  std::uint64_t no_answer = 0;
  Percentiles whole;         ///< from the intended moment to the end of the answer
  Percentiles from_sending;  ///< from when it was sent: what a closed loop would report
};

struct LoadFigures {
  CallerFigures callers;
  CallerFigures attackers;
  std::uint64_t held = 0;   ///< not sent, as their caller was told to wait
  std::uint64_t again = 0;  ///< sent because their caller was told to come again then
  std::uint64_t kept = 0;   ///< promises of a 429: asked again at that moment, it was allowed
  std::uint64_t broken = 0;
  std::uint64_t open = 0;  ///< promised for later than the end
  std::uint64_t bytes = 0;
  std::map<unsigned, std::uint64_t> statuses;  ///< no others than 100 to 999
  std::map<Ending, std::uint64_t> unanswered;
};

/// One thread. Bounded: some bytes for each caller, and a ticket of at most kMaxTicket.
class Crowd {
 public:
  static constexpr std::size_t kMaxTicket = 1024;

  /// If not `patient`, nobody heeds what it is told.
  Crowd(const TimetableOptions& options, bool patient);

  /// The time of the next request, also if it will be held. Nothing: there is none, unless an answer brings one.
  std::optional<Duration> next() const noexcept;
  /// The earliest one that is due at `now` and to be sent. Nothing: none is due.
  std::optional<DueRequest> take(Duration now);
  /// Returns whether one that was taken, and waited for a connection since, is still to be sent. If not, it counts as
  /// held.
  bool wants(const DueRequest& request);
  /// `request` was sent at `sent`, and ended at `now`.
  void saw(const DueRequest& request, SeenAnswer seen, Duration sent, Duration now);
  /// Nothing else comes: what is promised for later stays open. For Ctrl-C.
  void stop() noexcept { stopped_ = true; }
  /// Those who wait for the moment that they were told.
  std::size_t waiting() const noexcept { return waiting_; }
  /// What a caller sends back of a waiting room; empty: nothing.
  std::string_view ticket(std::uint32_t caller) const noexcept { return states_[caller - 1].ticket; }
  LoadFigures figures() const;
  const LoadFigures& so_far() const noexcept { return figures_; }

 private:
  struct State {
    Duration until{0};      ///< when it may ask again
    bool holds = false;     ///< it waits, or has asked again and not been answered
    bool asked = false;     ///< it has asked again
    bool promised = false;  ///< the moment was that of a rejection
    std::string ticket;
  };
  using Return = std::pair<Duration, std::uint32_t>;

  void tell_to_wait(State& state, std::uint32_t caller, const SeenAnswer& seen, Duration now);
  void count(const DueRequest& request, const SeenAnswer& seen, Duration sent, Duration now);

  Timetable timetable_;
  Duration length_;
  bool patient_;
  bool stopped_ = false;
  std::vector<State> states_;
  std::priority_queue<Return, std::vector<Return>, std::greater<>> returns_;
  std::size_t waiting_ = 0;
  LoadFigures figures_;
};

}  // namespace headgate::load
