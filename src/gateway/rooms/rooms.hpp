#pragma once
// The waiting rooms of one worker. The worker asks their stores and remembers the state of each line, so that it need
// not ask for every caller.

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

  /// Counts the visit of an exchange, at its end.
  void count(const Exchange& x) const;
  /// Sets the gauges of a room to its known state.
  void show(const CompiledRoom& room, const room::Knowledge& knowledge) const;

 private:
  struct OfRoom {
    observe::Counter* admitted = nullptr;
    observe::Counter* waits = nullptr;     ///< answers that told a caller to wait
    observe::Counter* lost = nullptr;      ///< callers who came too late and wait with a new number
    observe::Counter* observed = nullptr;  ///< callers who were let in, but would have had to wait
    observe::Gauge* waiting = nullptr;
    observe::Gauge* inside = nullptr;
    observe::Gauge* seconds = nullptr;  ///< the wait of a new caller
  };
  std::vector<OfRoom> rooms_;  ///< by CompiledRoom::number
};

/// Worker thread only. While a caller waits or is inside, this object asks the store once a second for the state of
/// each line. The line moves only if it is asked for. Callers whose turn is far away are answered from the last known
/// state.
class Rooms : public std::enable_shared_from_this<Rooms> {
 public:
  Rooms(Clock& clock, room::MemoryRooms& memory);

  /// Asks the store of the room. The question includes the known state of the line. Returns an error if the store is
  /// Redis and does not answer.
  Task<Result<room::Answer>> ask(SnapshotPtr snapshot, const CompiledRoom& room, room::Question question);
  /// Continues the line in this gateway, because Redis does not answer.
  room::Answer ask_alone(const SnapshotPtr& snapshot, const CompiledRoom& room, room::Question question);
  /// Returns the known state of the room.
  const room::Knowledge& known(const CompiledRoom& room) { return book(room).knowledge; }
  /// Stops the questions to the store. Must be called before the loop can end.
  void stop();

 private:
  struct Book {
    SnapshotPtr snapshot;  ///< the snapshot of the latest caller, which keeps `room` alive
    const CompiledRoom* room = nullptr;
    room::Knowledge knowledge;
    Clock::Steady used_at{};
    bool alone = false;    ///< whether the line continues in this gateway, as far as this worker knows
    bool looking = false;  ///< whether a question about the state is under way
    bool busy = false;     ///< whether the store is asked for the state once a second
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
