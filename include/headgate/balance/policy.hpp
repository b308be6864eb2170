#pragma once
// A balancing policy chooses a server: a pure function of the table and of what it is asked. A policy is a row, and a
// row is a file in src/balance/policies; the build makes the table of them, and no other code names one.

#include "headgate/balance/choice.hpp"
#include "headgate/balance/table.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace headgate::balance {

/// What a policy knows beside the table.
struct PickArgs {
  std::uint64_t turn = 0;          ///< rises with each use of a server of this upstream
  std::uint64_t seed = 0;          ///< differs between workers and processes, so that their random choices do
  std::int64_t now = 0;            ///< in ns of the steady clock; only if the policy is timed or servers start slowly
  const Choice* choice = nullptr;  ///< of the request; null: it has no key and has tried no server
};

/// One row. Constant; any thread.
struct Policy {
  std::string_view name;     ///< as a user writes it
  bool keyed = false;        ///< whether it needs the key of a request: the configuration must say `per` what
  bool timed = false;        ///< whether it needs the time, for latencies and recent failures
  std::string_view meaning;  ///< for `headgate check`: "requests go to its servers <meaning>"
  /// Returns the index of the server to use; nothing if none is left to try. Servers that are out are left out, and
  /// backup servers while another one may be chosen. If no server is in, it chooses as if those were in that are out by
  /// a guess (kGuessed): such a server may answer, and an error from the gateway helps nobody.
  std::optional<std::size_t> (*choose)(const Table& table, const PickArgs& ask) = nullptr;
};

/// All rows, sorted by name. Made by the build of the files in src/balance/policies.
std::span<const Policy* const> policies() noexcept;

/// The policy of this name; null if there is none.
const Policy* find_policy(std::string_view name) noexcept;

/// The policy of an upstream that names none: one server after the other.
const Policy& default_policy() noexcept;

}  // namespace headgate::balance
