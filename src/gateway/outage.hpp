#pragma once
// What was counted here while Redis was away, so that Redis is told of it when it is back: nobody gets a second budget
// by an outage.

#include "headgate/core/hash.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/limit/memory_store.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace headgate::gateway {

/// What one worker let through for each key, and what Redis is charged for it: what of that the local counter still
/// holds, since what has leaked out of that would have leaked out of Redis too. Bounded: beyond kMostKeys a key's share
/// of the outage is forgiven. Worker thread only.
class Outage {
 public:
  static constexpr std::size_t kMostKeys = 65'536;

  explicit Outage(limit::MemoryStore& memory) : memory_(memory) {}

  /// `asked` of `x` was granted here, of the local share; its rules and its subject are remembered.
  void counted(const Exchange& x, const AskedLimit& asked);

  /// Where Redis answers again: charges it for the keys about to be asked, before they are, and for some of the others.
  void hand_over(redis::Limiter& redis, std::span<const limit::Ask> about_to_ask);

 private:
  struct Owed {
    std::shared_ptr<const Site> site;      ///< which owns the rules,
    std::shared_ptr<const Grants> grants;  ///< or, of a key with a size of its own, these
    const limit::Rule* rule = nullptr;
    const limit::Rule* local = nullptr;
    std::string subject;
    std::int64_t admitted = 0;
  };
  struct ByLow {
    std::size_t operator()(const Hash& hash) const noexcept { return static_cast<std::size_t>(hash.low); }
  };
  using Keys = boost::unordered_flat_map<Hash, Owed, ByLow>;

  bool charge(redis::Limiter& redis, const Hash& hash, const Owed& owed);  ///< false: not now

  limit::MemoryStore& memory_;
  Keys keys_;
};

}  // namespace headgate::gateway
