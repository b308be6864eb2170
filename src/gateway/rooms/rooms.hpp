#pragma once
// The waiting rooms of one worker: asks them, and knows how far their lines are, so that not every caller has to ask.

#include "headgate/core/clock.hpp"
#include "headgate/gateway/snapshot.hpp"
#include "headgate/gateway/waiting_room.hpp"
#include "headgate/room/memory_rooms.hpp"
#include "headgate/room/wait.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace headgate::gateway {

/// The counters of waiting rooms. Their gauges are shared by all workers.
class RoomCounters {
 public:
  static constexpr Step kStep = Step::room;
  explicit RoomCounters(const Counting& counting);

  /// Counts what became of an exchange, at its end.
  void count(const Exchange& x) const;
  /// Shows what is known of a room now.
  void show(const CompiledRoom& room, const room::Knowledge& knowledge) const;

 private:
  struct OfRoom {
    observe::Counter* admitted = nullptr;
    observe::Counter* waits = nullptr;     ///< answers that told a caller to wait
    observe::Counter* lost = nullptr;      ///< came too late, and waits with a new number
    observe::Counter* observed = nullptr;  ///< let in, but would have had to wait
    observe::Gauge* waiting = nullptr;
    observe::Gauge* inside = nullptr;
    observe::Gauge* seconds = nullptr;  ///< wait of a newcomer
  };
  std::vector<OfRoom> rooms_;  ///< by CompiledRoom::number
};

/// Worker thread only. While somebody waits or is inside, it looks once a second how far each line is: this keeps the
/// line moving, and answers callers whose turn is far away without a question.
class Rooms : public std::enable_shared_from_this<Rooms> {
 public:
  Rooms(Clock& clock, room::MemoryRooms& memory);

  /// Asks the room, in its store, and tells it what is known of the line. An error: its store is Redis, which does not
  /// answer.
  Task<Result<room::Answer>> ask(SnapshotPtr snapshot, const CompiledRoom& room, room::Question question);
  /// Goes on with the line in this gateway, because Redis does not answer.
  room::Answer ask_alone(const SnapshotPtr& snapshot, const CompiledRoom& room, room::Question question);
  /// What is known of the room.
  const room::Knowledge& known(const CompiledRoom& room) { return book(room).knowledge; }
  /// Looks no more. Needed before the loop can end.
  void stop();

 private:
  struct Book {
    SnapshotPtr snapshot;  ///< of the latest caller: owns `room`
    const CompiledRoom* room = nullptr;
    room::Knowledge knowledge;
    Clock::Steady used_at{};
    bool alone = false;    ///< the line goes on here, as far as this worker knows
    bool looking = false;  ///< a look is under way
    bool busy = false;     ///< looked at once a second
  };

  Task<Result<room::Answer>> question_to(SnapshotPtr snapshot, const CompiledRoom& room, room::Question question);
  room::Answer question_alone(const CompiledRoom& room, room::Question question);
  static void on_alarm(void* self);
  static Task<void> look(std::shared_ptr<Rooms> self, std::string name);
  Book& book(const CompiledRoom& room);
  void used(const SnapshotPtr& snapshot, const CompiledRoom& room);
  void heard(const CompiledRoom& room, const room::Answer& answer);
  void arm();

  Clock& clock_;
  room::MemoryRooms& memory_;
  std::map<std::string, Book, std::less<>> books_;
  std::unique_ptr<Alarm> alarm_;  ///< null once stopped
  bool armed_ = false;
};

}  // namespace headgate::gateway
