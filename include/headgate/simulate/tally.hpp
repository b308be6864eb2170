#pragma once
// Counts the results of a simulation by limit, tier and key. Memory grows with keys, not with arrivals. Used by run.

#include "headgate/engine/simulation.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/simulate/figures.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::simulate {

/// The counts of one key.
struct KeyCount {
  std::uint32_t requests = 0;
  std::uint32_t rejected = 0;
};

/// Keys by their digest, with the texts of those that were rejected. One thread.
class TalliedKeys {
 public:
  /// Maximum number of keys of all tables of a run, and maximum bytes of their texts.
  struct Room {
    std::size_t keys = 8'000'000;
    std::size_t bytes = 256U << 20U;
  };
  explicit TalliedKeys(Room& room) noexcept : room_(&room) {}

  /// Counts a request. Returns false if there is no room for another key.
  bool add(std::string_view key, bool rejected);
  std::size_t size() const noexcept { return counts_.size(); }
  std::size_t rejected() const noexcept { return rejected_; }
  /// Returns null if the key never occurred.
  const KeyCount* find(std::string_view key) const;
  const KeyCount* find(std::uint64_t digest) const;
  /// Calls `tell(digest, count)` for each key, in no particular order.
  template <class Tell>
  void each(Tell tell) const {
    for (const auto& [digest, count] : counts_) tell(digest, count);
  }
  /// Returns the text of a key that was rejected; empty if there was no room for it.
  std::string_view text(std::uint64_t digest) const;

 private:
  void keep_text(std::uint64_t digest, std::string_view key);

  struct TextPlace {
    std::uint32_t block = 0;
    std::uint32_t at = 0;
    std::uint32_t size = 0;
  };
  Room* room_;
  boost::unordered_flat_map<std::uint64_t, KeyCount> counts_;
  boost::unordered_flat_map<std::uint64_t, TextPlace> texts_;
  std::vector<std::string> blocks_;
  std::size_t rejected_ = 0;
};

/// The tally of one run. One thread.
class RunTally {
 public:
  enum class Keep : std::uint8_t {
    counts,       ///< only the numbers of requests and rejections of each tier
    keys,         ///< also keys and times
    each_request  ///< also which of the arrivals were refused, one bit for each
  };
  RunTally(std::shared_ptr<const gateway::CompiledConfig> compiled, Keep keep);
  ~RunTally();
  RunTally(const RunTally&) = delete;
  RunTally& operator=(const RunTally&) = delete;

  /// Adds an arrival that has ended. Call it for every arrival.
  void add(const engine::ArrivalResult& decided);
  /// Returns the figures so far, except `requests`, `from`, `until` and `evicted`.
  Figures figures() const;

  struct OneTier;
  /// Returns the limit with this name; null if there is none.
  const gateway::CompiledLimit* limit(std::string_view name) const noexcept;
  const TalliedKeys& keys(const gateway::CompiledTier& tier) const noexcept;
  const gateway::CompiledConfig& compiled() const noexcept { return *compiled_; }
  std::uint64_t requests(const gateway::CompiledTier& tier) const noexcept;
  std::uint64_t rejected(const gateway::CompiledTier& tier) const noexcept;

  /// Returns whether this arrival was refused; false beyond the maximum that is kept.
  bool refused(std::uint64_t number) const noexcept { return number < refused_.size() && refused_[number]; }
  std::uint64_t kept() const noexcept { return refused_.size(); }

 private:
  struct OneLimit;
  struct OneRoom;
  struct OneUpstream;
  void count(const gateway::Admission& a);
  void add_limits(const gateway::Exchange& x, std::size_t part);
  void look_for_absent(gateway::Exchange& x);
  void add_extras(const gateway::Exchange& x);
  void note(std::uint64_t number, bool refused);
  std::vector<KeyFigures> worst_of(const gateway::CompiledLimit& limit) const;

  std::shared_ptr<const gateway::CompiledConfig> compiled_;
  Keep keep_;
  TalliedKeys::Room room_;
  Timeline timeline_;
  Series requests_;
  Series refused_series_;
  std::uint64_t refused_count_ = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(gateway::EndedBy::bug) + 1> ended_by_{};
  std::vector<OneTier> tiers_;              ///< tallies by CompiledTier::number
  std::vector<OneLimit> limits_;            ///< tallies in the order of CompiledConfig::limits
  std::vector<std::size_t> limit_of_tier_;  ///< indexes of `limits_`, by CompiledTier::number
  std::vector<OneRoom> rooms_;
  std::vector<OneUpstream> upstreams_;
  std::vector<bool> refused_;
  std::uint64_t uncounted_ = 0;
};

}  // namespace headgate::simulate
