#pragma once
// The state that a restart would lose, which a process hands to its successor: counters in memory,
// suspensions, overrides, servers that an operator took out or gave another size, the level of the log.
//
// The file is a list of sections, each with a name, a version and a length. A process leaves out sections that it does
// not know, and counters of limits that it does not have, and logs what it has left out.

#include "headgate/admin/server_sizes.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headgate::limit {
class MemoryStore;
class BanTable;
}  // namespace headgate::limit
namespace headgate::observe {
class Logs;
}  // namespace headgate::observe

namespace headgate::gateway {
struct CandidateState;
}  // namespace headgate::gateway

namespace headgate::admin {
class AdminBoard;
class OperatorBoard;
}  // namespace headgate::admin

namespace headgate::services {
class OverrideService;
}  // namespace headgate::services

namespace headgate::server {

/// The candidate that an operator set, as it was sent; or the fact that the file's candidate was dropped.
struct HandoverCandidate {
  std::string text;
  std::string name;
  bool dropped = false;
};

/// The parts of the state. All outlive the calls.
struct StateParts {
  limit::MemoryStore& memory;
  limit::BanTable& bans;
  services::OverrideService& overrides;
  admin::AdminBoard& board;
  admin::OperatorBoard& operators;
  observe::Logs& logs;
  std::vector<admin::SetSize> sizes{};           ///< written only; TakeoverResult has the sizes that were read
  std::uint32_t gateways = 0;                    ///< number of gateways that share Redis; written only; 0 if not known
  std::optional<HandoverCandidate> candidate{};  ///< written only
  std::shared_ptr<gateway::CandidateState> candidate_state{};  ///< null if there is no candidate
  /// Sets a candidate that was read. Returns null if the candidate cannot be used, or was dropped.
  std::function<std::shared_ptr<gateway::CandidateState>(const HandoverCandidate&)> take_candidate{};
};

/// The largest size of a state, in bytes; counters beyond it are left out.
inline constexpr std::uint64_t kMaxState = std::uint64_t{256} << 20;

/// Writes the state to a file without a name. Any thread; takes a moment if there are many counters. Returns a
/// descriptor, which the caller closes; -1 if there is no memory for it.
int write_state(const StateParts& parts, std::uint64_t most = kMaxState);

/// The result of a take-over: the parts that were taken over, and those that were left out.
struct TakeoverResult {
  std::size_t counters = 0;
  std::size_t suspensions = 0;
  std::size_t overrides = 0;
  std::size_t servers = 0;
  std::uint32_t gateways = 0;                   ///< 0 if not known
  std::vector<admin::SetSize> sizes{};          ///< for admin::ServerSizes::restore()
  std::map<std::string, std::string> left_out;  ///< maps a section or a limit that was left out to the reason
};
/// Takes over the state in `file`. Main thread, before the workers run. `same_hashes` says whether keyed_hash() has the
/// secret of the process that wrote the state; if not, the counters are left out.
TakeoverResult read_state(int file, const StateParts& parts, bool same_hashes);

/// Logs the result as events.
void tell_of(const TakeoverResult& taken);

}  // namespace headgate::server
