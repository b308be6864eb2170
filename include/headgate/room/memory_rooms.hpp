#pragma once
// Waiting rooms in the memory of this process.

#include "headgate/room/room.hpp"

#include <memory>
#include <string_view>

namespace headgate::room {

/// All rooms of this process, by name; they survive reloads. Shared by all workers; any thread. A step holds the lock
/// of its room for about a microsecond.
class MemoryRooms {
 public:
  MemoryRooms();
  ~MemoryRooms();
  MemoryRooms(const MemoryRooms&) = delete;
  MemoryRooms& operator=(const MemoryRooms&) = delete;

  /// Asks the room of `rule`. A room is empty before the first question.
  Answer ask(const RoomRule& rule, const Question& question, Instant now);
  /// Continues the queue of a room that was kept elsewhere. If nobody has asked here yet, the room begins without
  /// unused admissions, and with `taken` places taken.
  void take_over(const RoomRule& rule, std::int64_t taken, Instant now);
  /// Removes the room.
  void forget(std::string_view name);

 private:
  struct Rooms;
  std::unique_ptr<Rooms> rooms_;
};

}  // namespace headgate::room
