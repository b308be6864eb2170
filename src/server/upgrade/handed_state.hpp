#pragma once
// What one process knows that a restart would forget, for the process that takes its place: counters in memory,
// suspensions, overrides, servers that an operator took out or gave another size, the level of the log.
//
// The file is a list of sections, each with a name, a version and a length. A process leaves out what it does not know,
// section by section, and counters limit by limit; and says so.

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

/// The candidate that an operator set, as it was sent; or that the one of the file was dropped.
struct HandedCandidate {
  std::string text;
  std::string name;
  bool dropped = false;
};

/// Where the state is. All outlive the calls.
struct StateParts {
  limit::MemoryStore& memory;
  limit::BanTable& bans;
  services::OverrideService& overrides;
  admin::AdminBoard& board;
  admin::OperatorBoard& operators;
  observe::Logs& logs;
  std::vector<admin::SetSize> sizes{};                         ///< to write; what is read is in TakenState
  std::uint32_t gateways = 0;                                  ///< that share Redis; to write; 0: not known
  std::optional<HandedCandidate> candidate{};                  ///< to write
  std::shared_ptr<gateway::CandidateState> candidate_state{};  ///< null: there is no candidate
  /// Sets a candidate that was read; null: it cannot be used, or was dropped.
  std::function<std::shared_ptr<gateway::CandidateState>(const HandedCandidate&)> take_candidate{};
};

/// The most bytes of a state: beyond it counters are left out.
inline constexpr std::uint64_t kMaxState = std::uint64_t{256} << 20;

/// Writes the state to a file without a name. Any thread; takes a moment with many counters. Returns a descriptor,
/// which the caller closes; -1 if there is no memory for it.
int write_state(const StateParts& parts, std::uint64_t most = kMaxState);

/// What was taken over, and what was not.
struct TakenState {
  std::size_t counters = 0;
  std::size_t suspensions = 0;
  std::size_t overrides = 0;
  std::size_t servers = 0;
  std::uint32_t gateways = 0;                   ///< 0: not known
  std::vector<admin::SetSize> sizes{};          ///< for admin::ServerSizes::restore()
  std::map<std::string, std::string> left_out;  ///< what, and why
};
/// Takes over the state in `file`. Main thread, before the workers run. `same_hashes`: whether keyed_hash() has the
/// secret of the process that wrote it; else the counters are left out.
TakenState read_state(int file, const StateParts& parts, bool same_hashes);

/// Tells it in events.
void tell_of(const TakenState& taken);

}  // namespace headgate::server
