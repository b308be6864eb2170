#pragma once
// Small numbers for the names of limits, so that a counter stores its limit in two bytes. Used by MemoryStore.

#include "headgate/limit/limit.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace headgate::limit {

/// The numbers, from 0, in the order of first use. A name keeps its number when the configuration is replaced, even if
/// the new configuration lacks the name, because counters of that limit may still exist. Any thread.
class LimitNumbers {
 public:
  /// Returns the number of the rule's limit. Takes some nanoseconds, except for the first call with this rule's seed.
  std::uint16_t of(const Rule& rule);

  /// Returns the number of the limit with this name.
  std::uint16_t named(const std::string& limit);

  std::vector<std::string> names() const;  ///< indexed by number

 private:
  // Mask of the number in an entry. An entry is a seed whose low bits are replaced with the number. Two limits whose
  // seeds agree in the other 48 bits would be reported as one.
  static constexpr std::uint64_t kNumber = 0xffff;
  static constexpr std::size_t kMax = kNumber - 1;  ///< all further limits share this number

  std::array<std::atomic<std::uint64_t>, 1024> known_{};
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::uint16_t> numbers_;
};

}  // namespace headgate::limit
