#pragma once
// Limits whose keys have several counters in Redis, and the choice of the counter for a request.

#include "round.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/core/result.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/limit/shards.hpp"

#include <boost/container/static_vector.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::gateway {

/// Sends the checks of `checked`, whose tier has shards, to the shard of `key` whose turn it is.
void use_shard(Exchange& x, CheckedLimit& checked, std::string_view key, limit::ShardTurns& turns);

/// Returns whether a limit of the round has used one of several shards.
bool in_shards(const Round& round) noexcept;

/// Tries other shards for a round that the chosen shards rejected, because other shards may have permits. Shards that
/// are known to reject are skipped. For a bucket, one more shard is asked: the second call finds most of the permits
/// that the first call missed, and the wait for an empty bucket is known. For other limits, all shards are asked, so
/// that the announced wait holds at each gateway, whichever shards it asks. Both functions return the decision, or
/// nothing if Redis has to be asked for the decision of the round.
class OtherShards {
 public:
  OtherShards(Exchange& x, Round& round);

  std::optional<bool> ask();
  /// Handles the reply of Redis. After an error the round stays rejected.
  std::optional<bool> said(const Result<bool>& agreed);

 private:
  bool turn();
  void note_waits();
  bool of_buckets() const;
  void tell_soonest();
  std::span<limit::Decision> decisions_of(const CheckedLimit& checked) const;
  bool rejects(const CheckedLimit& checked) const;
  Duration wait_of(const CheckedLimit& checked) const;

  Exchange& x_;
  Round& round_;
  bool more_ = true;                                                          ///< whether another shard may be asked
  boost::container::static_vector<Duration, Admission::kMax> soonest_;        ///< the shortest wait of each limit
  boost::container::static_vector<limit::Decision, Admission::kMax> before_;  ///< the decisions of the last shard
};

/// Returns the key of one shard: "<key>#<number>". Each shard is a separate key, also for a cluster.
std::string_view shard_key(TextArena& text, std::string_view key, std::uint32_t shard);
inline std::string_view without_shard(std::string_view shard_key) { return shard_key.substr(0, shard_key.rfind('#')); }

/// A key, and the hash by which sketches count it.
struct CountedKey {
  std::uint64_t hash;
  std::string_view key;
};
/// Returns the caller's key without a shard. Without shards, the hash is that of the check; otherwise it is computed
/// here.
inline CountedKey counted_key(const Admission& admission, const CheckedLimit& checked) noexcept {
  const auto& check = admission.checks[checked.first];
  if (checked.shard == 0) return {check.hash.low, check.key};
  const auto key = without_shard(check.key);
  return {keyed_hash(key, 0).low, key};
}

}  // namespace headgate::gateway
