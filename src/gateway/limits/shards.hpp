#pragma once
// Limits whose keys have several counters in Redis: which one a request asks.

#include "round.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/limit/shards.hpp"

#include <cstdint>
#include <string_view>

namespace headgate::gateway {

/// Sends the checks of `checked`, whose tier has shards, to the shard of `key` whose turn it is.
void use_shard(Exchange& x, CheckedLimit& checked, std::string_view key, limit::ShardTurns& turns);

/// Whether one of its limits has asked one of several shards.
bool in_shards(const Round& round) noexcept;
/// The shard that was asked rejected the request: asks one more for each limit in shards.
Task<Result<bool>> ask_other_shards(Exchange& x, Round& round);

/// The key of one shard: "<key>#<number>". Each is a key of its own, also for a cluster.
std::string_view shard_key(TextArena& text, std::string_view key, std::uint32_t shard);
inline std::string_view without_shard(std::string_view shard_key) { return shard_key.substr(0, shard_key.rfind('#')); }

/// A key, and what sketches know it by.
struct CountedKey {
  std::uint64_t hash;
  std::string_view key;
};
/// The caller's key, as it was before a shard was chosen. Its hash in memory is there already.
inline CountedKey counted_key(const Admission& admission, const CheckedLimit& checked) noexcept {
  const auto& check = admission.checks[checked.first];
  if (checked.shard == 0) return {check.hash.low, check.key};
  const auto key = without_shard(check.key);
  return {keyed_hash(key, 0).low, key};
}

}  // namespace headgate::gateway
