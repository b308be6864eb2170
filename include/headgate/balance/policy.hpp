#pragma once
// Balancing policies. A policy is a pure function that chooses a server from the table and the arguments. Each policy
// is a row in a file of src/balance/policies; the build collects the rows, and no other code names one. Used by
// upstream and config.

#include "headgate/balance/choice.hpp"
#include "headgate/balance/table.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace headgate::balance {

/// The arguments of a policy in addition to the table.
struct PickArgs {
  std::uint64_t turn = 0;  ///< number that increases with each use of a server of this upstream
  std::uint64_t seed = 0;  ///< seed that differs between workers and processes, so that their random choices differ
  /// current time in ns of the steady clock; only set if the policy is timed or servers start slowly
  std::int64_t now = 0;
  const Choice* choice = nullptr;  ///< the state of the request; null if the request has no key and has tried no server
};

/// A policy. Constant; any thread.
struct Policy {
  std::string_view name;  ///< the name in the configuration
  bool keyed = false;     ///< true if the policy needs the key of a request, so that the configuration must have `per`
  bool timed = false;     ///< true if the policy needs the time, for latencies and recent failures
  std::string_view meaning;  ///< text for `headgate check`: "requests go to its servers <meaning>"
  /// Returns the index of the server to use; empty if none is left to try. Skips servers that are out, and uses backup
  /// servers only if no other server is available. If no server is in, the servers that are out only by a guess
  /// (kGuessed) count as in: one of them may answer, which is better than an error from the gateway.
  std::optional<std::size_t> (*choose)(const Table& table, const PickArgs& ask) = nullptr;
};

/// Returns all policies, sorted by name, as collected by the build.
std::span<const Policy* const> policies() noexcept;

/// Returns the policy with this name; null if there is none.
const Policy* find_policy(std::string_view name) noexcept;

/// Returns the policy of an upstream that names none: round robin.
const Policy& default_policy() noexcept;

}  // namespace headgate::balance
