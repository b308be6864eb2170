#pragma once
// What was counted here while Redis was away, so that Redis is told of it when it is back: nobody gets a second budget
// by an outage.

#include "headgate/core/clock.hpp"
#include "headgate/core/hash.hpp"
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

/// What one worker let through for each key is owed until Redis says that it has charged it: by the next request for
/// that key, else in the background. Of it is charged what the local counter still holds, for what has leaked out of
/// that would have leaked out of Redis too. A charge whose answer is lost is sent again under the token it had, so that
/// Redis counts it once. Bounded: beyond kMaxKeys a key's share of the outage is forgiven. Worker thread only.
class Outage : public std::enable_shared_from_this<Outage> {
 public:
  static constexpr std::size_t kMaxKeys = 65'536;

  Outage(Clock& clock, limit::Limiter& memory);

  /// Who is told from now on; null where nothing is counted in Redis any more: then nothing is owed either.
  void adopt(std::shared_ptr<limit::RemoteLimiter> redis);
  /// No more is said. Without it the loop never runs dry while anything is owed.
  void stop();

  /// `asked` of `x` was granted here, of the local share; its rules and its key are remembered.
  void counted(const Exchange& x, const CheckedLimit& asked);
  /// The answer says that it used more than was granted.
  void cost_more(const Exchange& x, const CheckedLimit& asked);

  /// Charges what is owed for the keys about to be asked, before they are.
  void hand_over(std::span<const limit::Check> about_to_ask) {
    if (!keys_.empty()) charge_now(about_to_ask);
  }

 private:
  struct Owed {
    std::shared_ptr<const CompiledConfig> compiled;     ///< which owns the rules,
    std::shared_ptr<const KeyOverrides> key_overrides;  ///< or, of a key with a size of its own, these
    const limit::Rule* rule = nullptr;
    const limit::Rule* local = nullptr;
    std::string key;
    std::int64_t more = 0;    ///< not yet sent
    std::int64_t sent = 0;    ///< under `token`, and not known to be charged
    std::uint64_t token = 0;  ///< its number
    bool under_way = false;
    bool in_line = false;
  };
  struct ByLow {
    std::size_t operator()(const Hash& hash) const noexcept { return static_cast<std::size_t>(hash.low); }
  };
  using Keys = boost::unordered_flat_map<Hash, Owed, ByLow>;

  static Task<void> say(std::shared_ptr<Outage> self, std::shared_ptr<limit::RemoteLimiter> redis, Hash hash, Owed owed,
                        std::int64_t cost);
  void owe(const Exchange& x, const CheckedLimit& asked, std::size_t check, std::int64_t cost);
  std::int64_t held(const Hash& hash, const Owed& owed);
  void charge_now(std::span<const limit::Check> about_to_ask);
  void charge(const Hash& hash);
  void charged(const Hash& hash, error_code why);
  void line_up(const Hash& hash, Owed& owed);
  void go_on();
  void arm();
  static void look(void* self);

  Clock& clock_;
  limit::Limiter& memory_;
  std::shared_ptr<limit::RemoteLimiter> redis_;
  Keys keys_;
  std::deque<Hash> line_;  ///< of keys to be charged; some may have been since
  std::size_t under_way_ = 0;
  std::uint64_t failures_ = 0;
  unsigned looks_ = 0;
  std::string process_;  ///< of all tokens the first part: nobody else's
  std::uint64_t tokens_ = 0;
  std::unique_ptr<Alarm> alarm_;
  bool armed_ = false;
  bool stopped_ = false;
};

}  // namespace headgate::gateway
