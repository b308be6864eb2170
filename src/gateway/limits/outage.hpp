#pragma once
// Charges to Redis, as soon as Redis is back, the use that was counted locally while Redis was down. So an outage gives
// no caller a second budget.

#include "headgate/core/clock.hpp"
#include "headgate/core/hash.hpp"
#include "headgate/core/random.hpp"
#include "headgate/core/task.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/limit/limiter.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>

namespace headgate::gateway {

/// The permits that one worker granted for each key during an outage are a debt to Redis. A debt is charged with the
/// next request for its key, or in the background, and remains until Redis acknowledges the charge. Only the use that
/// the local counter still holds is charged; the rest would have expired in Redis as well. A charge whose answer is
/// lost is sent again under the same token, so Redis counts it once. If kMaxKeys keys have debts, no further key gets
/// one. Worker thread only.
class Outage : public std::enable_shared_from_this<Outage> {
 public:
  static constexpr std::size_t kMaxKeys = 65'536;

  Outage(Clock& clock, limit::Limiter& memory, Random& random);

  /// Sets the limiter that debts are charged to from now on. Null if no limit is counted in Redis any more; all debts
  /// are then forgotten.
  void adopt(std::shared_ptr<limit::RemoteLimiter> redis);
  /// Stops charging. Must be called before the loop can end, because the alarm is set again while anything is owed.
  void stop();

  /// Records that the local share allowed `checked` of `x`, with its rules and its key.
  void counted(const Exchange& x, const CheckedLimit& checked);
  /// Records that messages of the call took further permits by the rule with this index; `check` is their check.
  void counted(const Exchange& x, const CheckedLimit& checked, std::size_t rule, const limit::Check& check);
  /// Records that the answer named a higher cost than the permits that were taken.
  void cost_more(const Exchange& x, const CheckedLimit& checked);

  /// Charges the debts of the keys of these limits, before the checks of these limits are sent.
  void hand_over(const Exchange& x, std::span<const CheckedLimit> next) {
    if (!keys_.empty()) charge_now(x, next);
  }

 private:
  struct Owed {
    std::shared_ptr<const CompiledConfig> compiled;        ///< keeps the rules alive
    std::shared_ptr<const ActiveCredentials> credentials;  ///< keeps the rules of a key with rates of its own alive
    /// keeps the rules of an override alive; null if the key has no override
    std::shared_ptr<const OverrideTable> overrides;
    std::shared_ptr<const CompiledTier> own;  ///< keeps the rules of a size alive that one exchange alone has
    const limit::Rule* rule = nullptr;
    const limit::Rule* local = nullptr;
    std::string key;
    std::uint32_t shards = 1;  ///< above 1: charges are spread over this many counters
    std::uint32_t shard = 1;   ///< the next shard to charge
    std::int64_t part = 0;     ///< the largest charge; 0 until the debt is divided into parts
    std::int64_t more = 0;     ///< debt that was not sent yet
    std::int64_t sent = 0;     ///< debt that was sent under `token`, and not acknowledged yet
    std::uint64_t token = 0;   ///< the number in the token
    bool under_way = false;
    bool queued = false;
  };
  struct ByLow {
    std::size_t operator()(const Hash& hash) const noexcept { return static_cast<std::size_t>(hash.low); }
  };
  using Keys = boost::unordered_flat_map<Hash, Owed, ByLow>;

  static Task<void> send_charge(std::shared_ptr<Outage> self, std::shared_ptr<limit::RemoteLimiter> redis, Hash hash,
                                Owed owed, std::int64_t cost);
  void owe(const Exchange& x, const CheckedLimit& checked, std::size_t rule, const limit::Check& was,
           std::int64_t cost);
  std::int64_t held(const Hash& hash, const Owed& owed);
  void charge_now(const Exchange& x, std::span<const CheckedLimit> next);
  void charge(const Hash& hash);
  void charged(const Hash& hash, error_code why);
  void enqueue(const Hash& hash, Owed& owed);
  void charge_queued();
  void arm();
  static void on_alarm(void* self);

  Clock& clock_;
  limit::Limiter& memory_;
  std::shared_ptr<limit::RemoteLimiter> redis_;
  Keys keys_;
  std::deque<Hash> queue_;  ///< keys to charge; some may have been charged in the meantime
  std::size_t under_way_ = 0;
  std::uint64_t failures_ = 0;
  unsigned ticks_ = 0;
  std::string process_;  ///< first part of all tokens; unique to this process
  std::uint64_t tokens_ = 0;
  std::unique_ptr<Alarm> alarm_;
  bool armed_ = false;
  bool stopped_ = false;
};

}  // namespace headgate::gateway
