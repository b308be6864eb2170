#pragma once
// Limits whose keys have several counters in Redis: which one a request asks.

#include "headgate/gateway/exchange.hpp"
#include "headgate/limit/shards.hpp"

#include <string_view>

namespace headgate::gateway {

/// Sends the checks of `checked`, whose tier has shards, to the shard of `key` whose turn it is.
void use_shard(Exchange& x, CheckedLimit& checked, std::string_view key, limit::ShardTurns& turns);

/// The key of one shard: "<key>#<number>". Each is a key of its own, also for a cluster.
std::string_view shard_key(TextArena& text, std::string_view key, std::uint32_t shard);
inline std::string_view without_shard(std::string_view shard_key) { return shard_key.substr(0, shard_key.rfind('#')); }

}  // namespace headgate::gateway
