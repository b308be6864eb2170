#pragma once
// The distribution of keys over the nodes of a cluster: slots of keys, and the reply to CLUSTER SLOTS. No I/O.

#include "headgate/redis/options.hpp"
#include "headgate/redis/reply.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::redis {

inline constexpr std::uint16_t kSlots = 16384;

/// Returns CRC-16 (XMODEM) modulo the number of slots. It covers the hash tag of the key: the text between its first
/// '{' and the next '}'. Without a tag it covers the whole key.
std::uint16_t slot_of(std::string_view key) noexcept;

/// Returns the slot of all Redis keys of `key`, as limit::script_arguments writes them (a test compares the two).
/// Overwrites `scratch`.
std::uint16_t slot_of_key(std::string_view prefix, std::string_view key, std::string& scratch);

struct SlotRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;  ///< inclusive
  RedisNode master;
  std::vector<RedisNode> replicas;
  bool operator==(const SlotRange&) const = default;
};

/// Parses the reply of node `asked` to CLUSTER SLOTS. The host of `asked` replaces a missing host. Empty if the reply
/// is invalid.
std::optional<std::vector<SlotRange>> read_slots(std::span<const Reply::Element> reply, const RedisNode& asked);

}  // namespace headgate::redis
