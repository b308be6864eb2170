#pragma once
// The types of a waiting room: its rule, a question, and the answer. docs/inside.md explains them.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace headgate::room {

/// The rule by which a room admits visitors. Immutable once the configuration is loaded.
struct RoomRule {
  std::string name;
  std::uint64_t count = 0;     ///< Admissions in each `period`, at most kMaxCount; 0 if there is no rate.
  Duration period{0};          ///< Time in which `count` visitors are admitted, at most kMaxPeriod.
  std::int64_t burst = 1;      ///< Admissions that accumulate while nobody waits; at least 1.
  std::uint64_t visitors = 0;  ///< Maximum number of visitors inside, at most kMaxVisitors; 0 if it is unbounded.
  Duration grace{0};           ///< Time for which a called number is kept, at least kMinGrace.
  Duration stay{0};            ///< Time for which a visitor without a request counts as inside, at least kMinGrace.
  /// Maximum number of numbers and places per owner, at most kMaxAtMost; 0 if it is unbounded.
  std::uint64_t at_most = 0;
  bool operator==(const RoomRule&) const = default;
};

inline constexpr std::uint64_t kMaxCount = 1'000'000;
inline constexpr Duration kMaxPeriod = std::chrono::hours(1);
inline constexpr std::uint64_t kMaxVisitors = 100'000;
inline constexpr Duration kMinGrace = std::chrono::seconds(1);
inline constexpr std::uint64_t kMaxAtMost = 1'000;

enum class Ask : std::uint8_t {
  look,     ///< Asks only how far the queue has moved.
  arrive,   ///< A newcomer takes a number.
  present,  ///< A visitor comes back with a number, and gets a new one after coming too late.
  remain,   ///< A visitor inside has made a request.
  observe,  ///< A newcomer enters whatever the answer is.
};

/// A question to a room.
struct Question {
  Ask ask = Ask::look;
  std::int64_t number = 0;   ///< For `present` and `remain`, the number of the ticket or pass; otherwise 0.
  std::int64_t next = 0;     ///< A lower bound of the room's `next` that the caller has seen.
  std::int64_t serving = 0;  ///< A lower bound of the room's `serving` that the caller has seen; at most `next`.
  std::int64_t stride = 1;   ///< Amount by which a newcomer increases `next`.
  std::string owner = {};    ///< The owner whose numbers are bounded together; "" if they are not bounded.
};

enum class VisitorState : std::uint8_t { waiting, inside, none };

struct Answer {
  VisitorState place = VisitorState::none;  ///< State of the visitor; `none` for a question that only looks.
  bool lost = false;                        ///< True if the visitor came too late; `number` is then a new one.
  std::int64_t number = 0;                  ///< The caller's number; 0 for a question that only looks.
  std::int64_t next = 0;                    ///< The last number handed out.
  std::int64_t serving = 0;                 ///< The last number called, at most `next`.
  std::int64_t taken = 0;  ///< Number of taken places, if the room bounds its visitors; see inside_of().
  bool operator==(const Answer&) const = default;
};

/// Rooms that several gateways share. One thread.
class RemoteRooms {
 public:
  virtual ~RemoteRooms() = default;
  /// Asks the room of `rule`. An error means that there is no answer, so `if_redis_down` applies. `rule` must outlive
  /// the await.
  virtual Task<Result<Answer>> ask(const RoomRule& rule, const Question& question) = 0;
};

}  // namespace headgate::room
