#pragma once
// The callers of a load: when each one sends, when each one was told to come again, and whether the gateway kept that
// promise. No I/O and no clock: times are relative to the start. Used by LoadRun.

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

/// A request that is due.
struct DueRequest {
  Duration due{0};
  std::uint32_t caller = 1;
  bool attacks = false;
  bool again = false;  ///< true if the caller was told to come again at this time
};

/// How a request ended.
enum class Ending : std::uint8_t { answered, not_connected, timed_out, cut, unfinished };

/// The result of a request as its caller sees it.
struct SeenAnswer {
  Ending ending = Ending::answered;
  unsigned status = 0;             ///< status of the answer; valid if answered
  std::optional<Duration> wait{};  ///< Retry-After-Ms, otherwise Retry-After, of a 429 or 503
  bool in_line = false;            ///< true if the caller waits in a waiting room, and `wait` says when it asks again
  std::string ticket{};            ///< ticket of a waiting room for the next request; empty if there was none
  std::uint64_t bytes = 0;         ///< size of the body
};

/// The figures of a group of callers.
struct CallerFigures {
  std::uint64_t sent = 0;
  std::uint64_t allowed = 0;   ///< answered with a status below 400
  std::uint64_t rejected = 0;  ///< answered with 429, unless in line
  std::uint64_t in_line = 0;   ///< told by a waiting room to wait
  std::uint64_t other = 0;     ///< answered with any other status
  std::uint64_t no_answer = 0;
  Percentiles whole;         ///< times from the intended time of sending to the end of the answer
  Percentiles from_sending;  ///< times from sending to the end of the answer, which a closed loop would report
};

struct LoadFigures {
  CallerFigures callers;
  CallerFigures attackers;
  std::uint64_t held = 0;   ///< requests not sent because their caller was told to wait
  std::uint64_t again = 0;  ///< requests sent at the time for which their caller was told to come again
  std::uint64_t kept = 0;   ///< promises of a 429 that were kept: the request at the promised time was allowed
  std::uint64_t broken = 0;
  std::uint64_t open = 0;  ///< promises for a time after the end
  std::uint64_t bytes = 0;
  std::map<unsigned, std::uint64_t> statuses;  ///< numbers of answers by status; only statuses from 100 to 999
  std::map<Ending, std::uint64_t> unanswered;
};

/// The crowd. One thread. Memory is bounded: some bytes for each caller, and a ticket of at most kMaxTicket.
class Crowd {
 public:
  static constexpr std::size_t kMaxTicket = 1024;

  /// Creates a crowd. If `patient` is false, callers ignore what they are told.
  Crowd(const TimetableOptions& options, bool patient);

  /// Returns the time of the next request, even if it will be held. Empty if no request is known; an answer may still
  /// cause one.
  std::optional<Duration> next() const noexcept;
  /// Returns the earliest request to send that is due at `now`; empty if none is.
  std::optional<DueRequest> take(Duration now);
  /// Returns whether a request that has waited for a connection since take() should still be sent. If not, it counts as
  /// held.
  bool wants(const DueRequest& request);
  /// Records that `request` was sent at `sent` and ended at `now`.
  void saw(const DueRequest& request, SeenAnswer seen, Duration sent, Duration now);
  /// Ends the load, for Ctrl-C. Promises for a later time stay open.
  void stop() noexcept { stopped_ = true; }
  /// Returns the number of callers that wait until a time that an answer gave them.
  std::size_t waiting() const noexcept { return waiting_; }
  /// Returns the waiting room ticket that a caller sends back; empty if it has none.
  std::string_view ticket(std::uint32_t caller) const noexcept { return states_[caller - 1].ticket; }
  LoadFigures figures() const;
  const LoadFigures& so_far() const noexcept { return figures_; }

 private:
  struct State {
    Duration until{0};   ///< time from which the caller may ask again
    bool holds = false;  ///< true if the caller waits, or has asked again without an answer yet
    bool asked = false;  ///< true if the caller has asked again
    /// true if `until` comes from a rejection, so that a request at that time should be allowed
    bool promised = false;
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
