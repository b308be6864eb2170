#pragma once
// The bounds of a gateway and how much of each is used: one table for the admin interface, the metrics and the reasons
// "bound_reached" and "bound_near".

#include "headgate/observe/metrics.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::admin {

/// One bound and its use.
struct BoundUse {
  /// Whether a reached bound is a problem, or normal operation.
  enum class Full : std::uint8_t { wrong, usual };

  std::string bound;  ///< The configuration key; a fixed bound has a name without dots.
  std::uint64_t used = 0;
  std::uint64_t most = 0;      ///< Size of the bound, at least 1.
  std::string_view when_full;  ///< The effect of a reached bound, a sentence without its full stop.
  std::string held_by{};       ///< The largest user of the bound, if known; may be an address.
  Full full = Full::wrong;
  bool in_bytes = false;
  /// Number of connections or requests that were turned away since startup because this bound was reached.
  std::uint64_t refused = 0;
};
/// Returns whether at least `percent` % of the bound is used.
bool reaches(const BoundUse& use, unsigned percent) noexcept;

/// All bounds and their use. Call add() before any other function. Any thread.
class BoundsBoard {
 public:
  /// A function that adds rows to the table. Any thread; must not wait for a worker.
  using Read = std::function<void(std::vector<BoundUse>& table)>;
  void add(Read read) { reads_.push_back(std::move(read)); }
  std::vector<BoundUse> table() const;
  /// Adds headgate_bound_used and headgate_bound_limit to the registry. The board must outlive the registry.
  void collect(observe::Registry& registry) const;

 private:
  std::vector<Read> reads_;
};

/// Finds bounds that are reached or nearly reached. A bound counts as nearly reached from kBegins % until it has been
/// below kEnds % for kCalm. A bound counts as reached while all of it is used or something is turned away, and for
/// kCalm afterwards. One thread.
class NearBounds {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  static constexpr unsigned kBegins = 90;  ///< A bound counts as nearly reached from this use on, in percent.
  static constexpr unsigned kEnds = 80;
  static constexpr auto kCalm = std::chrono::seconds(10);

  /// The bounds found, as pairs of subject and words for Reasons::set_only().
  struct Found {
    std::vector<std::pair<std::string, std::string>> near;
    std::vector<std::pair<std::string, std::string>> reached;
  };
  /// Returns the bounds of `table` that are reached or nearly reached. `now` must never decrease.
  Found look(Steady now, const std::vector<BoundUse>& table);

 private:
  struct High {
    Steady last{};                     ///< Last time at which the use was high.
    std::uint64_t most = 0;            ///< The use at that time.
    std::uint64_t refused_before = 0;  ///< BoundUse::refused when the use became high.
    std::optional<Steady> reached{};   ///< Last time at which the bound was reached.
  };
  static std::string words_of(const BoundUse& use, const High& high);

  std::map<std::string, High> high_;              ///< Bounds that are nearly reached, by name.
  std::map<std::string, std::uint64_t> refused_;  ///< BoundUse::refused at the previous call, by name of the bound.
};

}  // namespace headgate::admin
