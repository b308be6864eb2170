#pragma once
// Rooms in the memory of this process.

#include "headgate/room/room.hpp"

#include <memory>
#include <string_view>

namespace headgate::room {

/// All rooms of this process, by name: a reload keeps them. Shared by all workers; any thread. A step holds the lock of
/// its room, for about a microsecond.
class MemoryRooms {
 public:
  MemoryRooms();
  ~MemoryRooms();
  MemoryRooms(const MemoryRooms&) = delete;
  MemoryRooms& operator=(const MemoryRooms&) = delete;

  /// Asks the room of `rule`, which begins empty.
  Answer ask(const RoomRule& rule, const Question& question, Instant now);
  /// The line of a room that was elsewhere goes on here: if nobody has asked here yet, it begins without unused
  /// admissions, and with `taken` places taken.
  void take_over(const RoomRule& rule, std::int64_t taken, Instant now);
  /// Forgets the room.
  void forget(std::string_view name);

 private:
  struct Rooms;
  std::unique_ptr<Rooms> rooms_;
};

}  // namespace headgate::room
