#pragma once
// Which numbers of a line in memory belong to whom.

#include "headgate/core/hash.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace headgate::room {

/// The numbers of each owner, in ascending order. It knows at most kSets * kWays owners; where a further one finds its
/// set full, the owner of that set who was asked for longest ago is forgotten, and may take numbers anew. One thread.
class Owners {
 public:
  static constexpr std::size_t kSets = 4096;
  static constexpr std::size_t kWays = 8;

  /// The numbers of `owner`, none if it is not known. Valid until the next call.
  std::vector<std::int64_t>& of(std::string_view owner);

 private:
  struct Owner {
    Hash hash;
    std::vector<std::int64_t> numbers;
  };
  /// Each set with the owner who was asked for last in front. Empty before the first question.
  std::vector<std::vector<Owner>> sets_;
};

}  // namespace headgate::room
