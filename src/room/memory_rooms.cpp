#include "headgate/room/memory_rooms.hpp"

#include "headgate/room/line.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>

namespace headgate::room {

struct MemoryRooms::Rooms {
  struct Room {
    std::mutex mutex;
    LineState state;
  };

  /// Rooms are few and permanent. The table is locked for writing only by the first question to each room.
  std::shared_ptr<Room> find(std::string_view name) {
    {
      const std::shared_lock guard(mutex);
      if (const auto at = all.find(name); at != all.end()) return at->second;
    }
    const std::unique_lock guard(mutex);
    auto& room = all[std::string(name)];
    if (!room) room = std::make_shared<Room>();
    return room;
  }

  std::shared_mutex mutex;
  std::map<std::string, std::shared_ptr<Room>, std::less<>> all;
};

MemoryRooms::MemoryRooms() : rooms_(std::make_unique<Rooms>()) {}
MemoryRooms::~MemoryRooms() = default;

Answer MemoryRooms::ask(const RoomRule& rule, const Question& question, Instant now) {
  const auto room = rooms_->find(rule.name);
  const std::lock_guard guard(room->mutex);
  return step(room->state, rule, question, now);
}

void MemoryRooms::take_over(const RoomRule& rule, std::int64_t taken, Instant now) {
  const auto room = rooms_->find(rule.name);
  const std::lock_guard guard(room->mutex);
  auto& state = room->state;
  if (state.at != 0) return;
  step(state, rule, {}, now);
  state.credit = 0;
  if (rule.visitors > 0) state.ends[static_cast<std::size_t>(state.slice + slices_of(rule).seen) % kEnds] = taken;
}

void MemoryRooms::forget(std::string_view name) {
  const std::unique_lock guard(rooms_->mutex);
  if (const auto at = rooms_->all.find(name); at != rooms_->all.end()) rooms_->all.erase(at);
}

}  // namespace headgate::room
