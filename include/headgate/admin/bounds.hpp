#pragma once
// The bounds of a gateway beside how much of each is used: one table for the admin interface, the metrics, and the
// reasons that one is reached or nearly so.

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

/// One bound.
struct BoundUse {
  /// Whether it is wrong that it is reached, or what it is there for.
  enum class Full : std::uint8_t { wrong, usual };

  std::string bound;  ///< as the configuration calls it; a fixed one has no dot in its name
  std::uint64_t used = 0;
  std::uint64_t most = 0;      ///< at least 1
  std::string_view when_full;  ///< what happens then, a sentence without its dot
  std::string held_by{};       ///< who has the most of it, as far as known; may be an address
  Full full = Full::wrong;
  bool in_bytes = false;
  std::uint64_t refused = 0;  ///< connections or requests that were turned away for it since the start
};
/// Whether at least so many of 100 are used.
bool reaches(const BoundUse& use, unsigned percent) noexcept;

/// All bounds. Begins with none; add() comes before any other call. Any thread.
class BoundsBoard {
 public:
  /// Adds rows to the table. Any thread; must not wait for a worker.
  using Read = std::function<void(std::vector<BoundUse>& table)>;
  void add(Read read) { reads_.push_back(std::move(read)); }
  std::vector<BoundUse> table() const;
  /// Adds headgate_bound_used and headgate_bound_limit to the registry, which this outlives.
  void collect(observe::Registry& registry) const;

 private:
  std::vector<Read> reads_;
};

/// Which bounds are reached or nearly so: from kBegins on, until they were below kEnds for kCalm. A bound is reached as
/// long as all of it is used or something is turned away for it, and for kCalm more. One thread.
class NearBounds {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  static constexpr unsigned kBegins = 90;  ///< of 100
  static constexpr unsigned kEnds = 80;
  static constexpr auto kCalm = std::chrono::seconds(10);

  /// Those that are now, each with words: pairs as Reasons::set_only() takes them.
  struct Found {
    std::vector<std::pair<std::string, std::string>> near;
    std::vector<std::pair<std::string, std::string>> reached;
  };
  /// Times never fall.
  Found look(Steady now, const std::vector<BoundUse>& table);

 private:
  struct High {
    Steady last{};                     ///< when it was high
    std::uint64_t most = 0;            ///< how much of it was used then
    std::uint64_t refused_before = 0;  ///< BoundUse::refused when it began to be high
    std::optional<Steady> reached{};   ///< when it was the last time
  };
  static std::string words_of(const BoundUse& use, const High& high);

  std::map<std::string, High> high_;              ///< by bound
  std::map<std::string, std::uint64_t> refused_;  ///< by bound, at the last look
};

}  // namespace headgate::admin
