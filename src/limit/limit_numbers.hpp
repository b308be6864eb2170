#pragma once
// A small number for each limit's name, so that a counter can say in two bytes which limit it is of. Used by
// MemoryStore.

#include "headgate/limit/limit.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace headgate::limit {

/// Numbers from 0 on, in the order in which limits are first counted by. A name keeps its number when the configuration
/// is replaced, also where it is gone from it: counters of it may still be there. Any thread.
class LimitNumbers {
 public:
  /// Some nanoseconds, after the first time for this rule's seed.
  std::uint16_t of(const Rule& rule);

  std::vector<std::string> names() const;  ///< by number

 private:
  // An entry is a seed whose low bits gave way to the number. Two limits whose seeds agree in the other 48 bits would
  // be shown as one.
  static constexpr std::uint64_t kNumber = 0xffff;
  static constexpr std::size_t kMost = kNumber - 1;  ///< limits beyond that share this number

  std::uint16_t named(const std::string& limit);

  std::array<std::atomic<std::uint64_t>, 1024> known_{};
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::uint16_t> numbers_;
};

}  // namespace headgate::limit
