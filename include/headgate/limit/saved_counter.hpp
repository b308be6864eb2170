#pragma once
// A counter in memory as one process hands it to the next one of the same gateway.

#include "headgate/core/hash.hpp"
#include "headgate/core/time.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace headgate::limit {

/// One counter. Its hash means the same only in a process with the same secret (core/hash_secret.hpp).
struct SavedCounter {
  static constexpr std::size_t kMaxLog = std::size_t{1} << 24;  ///< numbers

  Hash hash{};
  std::string limit{};
  std::string algorithm{};          ///< Algorithm::name
  std::uint32_t state_version = 0;  ///< Algorithm::state_version
  Instant full_at{};
  bool spent = false;
  bool first = true;                      ///< its key is counted by it
  std::array<std::int64_t, 4> numbers{};  ///< the last one is 0 if it has a log
  std::vector<std::int64_t> log{};        ///< of an algorithm that records each request; else empty
  bool logs = false;                      ///< whether it has one
};

}  // namespace headgate::limit
