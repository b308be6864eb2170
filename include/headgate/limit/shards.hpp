#pragma once
// A counter in several parts ("shards"), so that several servers of a cluster share the work of one key. A request
// takes from one shard, each of which has its part of the limit. All shards together never allow more than the limit,
// and one shard may be spent while another still has permits. Used by gateway and config.

#include "headgate/limit/limit.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace headgate::limit {

inline constexpr std::uint32_t kMaxShards = 64;

/// Returns the number of shards into which these rules can be divided: `wanted`, or fewer if a shard would have less
/// than one request; 1 if they cannot be divided.
std::uint32_t shards_of(std::span<const Rule> rules, std::uint32_t wanted);

/// Returns the rules of each shard: a part of the rate and of the burst, rounded down. `shards` is at most shards_of().
std::vector<Rule> one_shard(std::span<const Rule> rules, std::uint32_t shards);

/// Returns how much of the burst of `rule` belongs to no shard, because the number of shards does not divide it.
std::uint64_t lost_in_shards(const Rule& rule, std::uint32_t shards) noexcept;

/// Returns how long an empty bucket rejects `check`; kNever if the bucket is smaller than the cost. Returns 0 if the
/// algorithm of its rule has no bucket.
Duration wait_of_empty(const Check& check) noexcept;

/// Chooses the shard that a request asks first. All shards get their turn, so that they are used equally. Each key has
/// its own turns, found by its hash. If all keys shared one turn, two keys whose requests alternate would each use only
/// every second shard. Not thread-safe.
class ShardTurns {
 public:
  /// `seed` makes workers and gateways start at different shards.
  explicit ShardTurns(std::uint64_t seed) noexcept;

  /// Returns a number from 1 to `shards`. `hash` names the key.
  std::uint32_t next(Hash hash, std::uint32_t shards) noexcept {
    return 1 + turns_[hash.low % turns_.size()]++ % shards;
  }
  /// Returns the number that next() would return.
  std::uint32_t peek(Hash hash, std::uint32_t shards) const noexcept {
    return 1 + turns_[hash.low % turns_.size()] % shards;
  }

 private:
  std::array<std::uint32_t, 256> turns_{};
};

/// Returns the shard to ask after `shard`.
inline std::uint32_t shard_after(std::uint32_t shard, std::uint32_t shards) noexcept { return shard % shards + 1; }

}  // namespace headgate::limit
