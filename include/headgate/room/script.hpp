#pragma once
// The Redis side of a waiting room, without I/O: the script, its arguments, and its reply.

#include "headgate/room/room.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::room {

/// Returns lua/waiting_room.lua, which is embedded in the binary.
std::string_view waiting_room_script() noexcept;
/// Returns the SHA-1 of waiting_room_script() in lower-case hex, for EVALSHA.
std::string_view waiting_room_script_sha() noexcept;

/// Returns the Redis key of a room: `<prefix>v1:{room:<name>}`. The numbers of an owner are stored under
/// `<prefix>v1:{room:<name>}:<owner>`, in the same slot of a cluster.
std::string room_key(std::string_view prefix, std::string_view name);

/// Writes the arguments of EVALSHA or EVAL that follow the script's name. `out` owns its bytes; its previous content is
/// replaced.
void script_arguments(const RoomRule& rule, const Question& question, std::string_view prefix,
                      std::vector<std::string>& out);

/// Reads the script's reply. Returns nothing if the script cannot have sent it.
std::optional<Answer> read_script_reply(std::span<const std::int64_t> reply, const Question& question);

}  // namespace headgate::room
