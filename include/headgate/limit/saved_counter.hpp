#pragma once
// A counter in memory in the form in which a process passes it to the next process of the same gateway. Used by
// MemoryStore and its users.

#include "headgate/core/hash.hpp"
#include "headgate/core/time.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace headgate::limit {

/// A saved counter. Its hash is only meaningful in a process with the same secret (core/hash_secret.hpp).
struct SavedCounter {
  static constexpr std::size_t kMaxLog = std::size_t{1} << 24;  ///< maximum number of entries

  Hash hash{};
  std::string limit{};
  std::string algorithm{};          ///< value of Algorithm::name
  std::uint32_t state_version = 0;  ///< value of Algorithm::state_version
  Instant full_at{};
  bool spent = false;
  bool first = true;                      ///< true if this counter stands for its key in the number of keys
  std::array<std::int64_t, 4> numbers{};  ///< numbers of the algorithm; the last one is 0 if there is a log
  std::vector<std::int64_t> log{};        ///< the log of an algorithm that records each request; otherwise empty
  bool logs = false;                      ///< true if there is a log
};

}  // namespace headgate::limit
