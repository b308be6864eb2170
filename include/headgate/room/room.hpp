#pragma once
// The types of a waiting room: its rule, a question to it, and the answer. docs/inside.md explains them.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace headgate::room {

/// How a room lets visitors in. Immutable once the configuration is loaded.
struct RoomRule {
  std::string name;
  std::uint64_t count = 0;     ///< admissions in each `period`, at most kMaxCount; 0: not limited by time
  Duration period{0};          ///< at most kMaxPeriod
  std::int64_t burst = 1;      ///< admissions that are kept while nobody waits; at least 1
  std::uint64_t visitors = 0;  ///< how many may be inside, at most kMaxVisitors; 0: not limited
  Duration grace{0};           ///< how long a called number is kept, at least kMinGrace
  Duration stay{0};            ///< how long a visitor without a request counts as inside, at least kMinGrace
  std::uint64_t at_most = 0;   ///< numbers and places of one owner, at most kMaxAtMost; 0: not bounded
  bool operator==(const RoomRule&) const = default;
};

inline constexpr std::uint64_t kMaxCount = 1'000'000;
inline constexpr Duration kMaxPeriod = std::chrono::hours(1);
inline constexpr std::uint64_t kMaxVisitors = 100'000;
inline constexpr Duration kMinGrace = std::chrono::seconds(1);
inline constexpr std::uint64_t kMaxAtMost = 1'000;

enum class Ask : std::uint8_t {
  look,     ///< how far is the line?
  arrive,   ///< a newcomer: takes a number
  present,  ///< comes back with a number; takes a new one if it came too late
  remain,   ///< is inside, and was seen
  observe,  ///< a newcomer who goes in whatever the answer is
};

/// One question to a room.
struct Question {
  Ask ask = Ask::look;
  std::int64_t number = 0;   ///< of present and remain: the number of the ticket or pass; else 0
  std::int64_t next = 0;     ///< the room's `next` is at least this: what the asker has seen of it
  std::int64_t serving = 0;  ///< the same for `serving`; at most `next`
  std::int64_t stride = 1;   ///< how many numbers a newcomer takes
  std::string owner = {};    ///< whose numbers are bounded together; "": they are not bounded
};

enum class VisitorState : std::uint8_t { waiting, inside, none };

struct Answer {
  VisitorState place = VisitorState::none;  ///< none: only looked
  bool lost = false;                        ///< came too late: `number` is a new one
  std::int64_t number = 0;                  ///< the caller's; 0 if it only looked
  std::int64_t next = 0;                    ///< the last number handed out
  std::int64_t serving = 0;                 ///< the last number called, at most `next`
  std::int64_t taken = 0;                   ///< places taken, of a room that bounds its visitors; see inside_of()
  bool operator==(const Answer&) const = default;
};

/// Rooms that gateways share. One thread.
class RemoteRooms {
 public:
  virtual ~RemoteRooms() = default;
  /// Asks the room of `rule`. An error means that there is no answer: then `if_redis_down` applies. `rule` must outlive
  /// the await.
  virtual Task<Result<Answer>> ask(const RoomRule& rule, const Question& question) = 0;
};

}  // namespace headgate::room
