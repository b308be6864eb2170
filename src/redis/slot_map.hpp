#pragma once
// Which node of a cluster holds which key: slots of keys, and what CLUSTER SLOTS tells of them. No I/O.

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

/// CRC-16 (XMODEM) of the key's hash tag, what stands between its first '{' and the next '}', or of the whole key where
/// there is none.
std::uint16_t slot_of(std::string_view key) noexcept;

/// Of all keys of this subject, as limit::script_arguments writes them (a test compares). `scratch` is written over.
std::uint16_t slot_of_subject(std::string_view prefix, std::string_view subject, std::string& scratch);

struct SlotRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;  ///< in it
  Node master;
  std::vector<Node> replicas;
  bool operator==(const SlotRange&) const = default;
};

/// Reads the answer to CLUSTER SLOTS of the node `asked`, whose host stands in for one that is not named. Nothing where
/// it is none.
std::optional<std::vector<SlotRange>> read_slots(std::span<const Reply::Element> reply, const Node& asked);

}  // namespace headgate::redis
