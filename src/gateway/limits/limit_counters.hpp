#pragma once
// The counters of limits, of the capacities of upstreams, and of suspended callers.

#include "headgate/gateway/exchange_counters.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

struct CheckedLimit;

/// The counters of all tiers of limits.
class TierCounters {
 public:
  static constexpr Step kStep = Step::limits;
  explicit TierCounters(const Counting& counting);

  const observe::LimitCounters& of(const CompiledTier& tier) const noexcept { return tiers_[tier.number]; }
  /// Adds `more` to the gauge of the permits in flight that this worker holds; `more` is below 0 if permits were
  /// returned. The gauge continues after a reload.
  void permits(const CompiledTier& tier, int more) const noexcept;
  /// Adds `more` to the gauge of the units that calls of this worker hold until their cost is known; `more` is below 0
  /// if holds ended. Only for limits with a settled cost.
  void holds(const CompiledTier& tier, std::int64_t more) const noexcept;
  /// Counts a decision about this number of glitches of a key.
  void glitches(const CompiledTier& tier, observe::Source source, bool allowed, std::uint32_t times, std::uint64_t hash,
                std::string_view key) const;
  /// Counts the decisions of the limits of an exchange, at its end.
  void count_limits(const Exchange& x) const;

 private:
  void count_settled(const Exchange& x, const CheckedLimit& checked) const;
  observe::Counter& of_model(const std::string& limit, std::string_view model) const;

  observe::Registry& registry_;
  const observe::Writer worker_;
  std::vector<observe::LimitCounters> tiers_;  ///< by CompiledTier::number
  /// Counters of models by limit and name. They are created when a model is called for the first time.
  mutable std::map<std::string, std::map<std::string, observe::Counter*, std::less<>>, std::less<>> models_;
};

/// The counters of the capacities of upstreams.
class CapacityCounters {
 public:
  static constexpr Step kStep = Step::capacity;
  explicit CapacityCounters(const Counting& counting);

  /// Returns the counters of the exchange's upstream and priority.
  const observe::LimitCounters& of(const Exchange& x) const noexcept;
  /// Adds `more` to the gauge of the places that this worker holds; `more` is below 0 if places were returned. The
  /// gauge continues after a reload.
  void places(const Exchange& x, int more) const noexcept;

 private:
  std::vector<std::vector<observe::LimitCounters>> upstreams_;  ///< by Route::upstream and priority
};

/// The counters of the requests of suspended callers, by limit.
class SuspensionCounters {
 public:
  static constexpr Step kStep = Step::bans;
  explicit SuspensionCounters(const Counting& counting);

  /// Counts an exchange whose caller is suspended, at its end.
  void count_suspended(const Exchange& x) const;

 private:
  struct OfLimit {
    observe::Counter* refused = nullptr;
    observe::Counter* observed = nullptr;
    observe::LimitTop* top = nullptr;
  };
  OfLimit make(std::string_view limit) const;
  const OfLimit& of_operators(const RouteBan& ban) const;

  observe::Registry& registry_;
  const observe::Writer worker_;
  std::vector<OfLimit> limits_;  ///< by RouteBan::number
  /// Counters of limits without `ban`, by name. The counters of such a limit are created when an operator suspends one
  /// of its keys.
  mutable std::map<std::string_view, OfLimit> operated_;
};

}  // namespace headgate::gateway
