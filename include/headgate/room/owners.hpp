#pragma once
// The numbers that belong to each owner, for rooms in memory.

#include "headgate/core/hash.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace headgate::room {

/// The numbers of each owner, in ascending order, for at most kSets * kWays owners. If the set of a new owner is full,
/// the least recently asked owner of that set is forgotten, and may take new numbers. One thread.
class Owners {
 public:
  static constexpr std::size_t kSets = 4096;
  static constexpr std::size_t kWays = 8;

  /// Returns the numbers of `owner`; empty if the owner is unknown. Valid until the next call.
  std::vector<std::int64_t>& of(std::string_view owner);

 private:
  struct Owner {
    Hash hash;
    std::vector<std::int64_t> numbers;
  };
  /// The owners of each set, the most recently asked one first. Empty before the first question.
  std::vector<std::vector<Owner>> sets_;
};

}  // namespace headgate::room
