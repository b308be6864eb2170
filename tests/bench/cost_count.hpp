#pragma once
// Counts what a proxy does for a request: instructions under callgrind, system calls under strace. Unlike times these
// are nearly the same on every run.

#include "traffic.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace headgate::bench {

enum class Tool {
  callgrind,  ///< instructions of the process itself, none of the kernel's
  strace,     ///< system calls, but for those around waiting
};

/// What is sent, to whom.
struct Load {
  std::vector<std::string> command;   ///< of the proxy, which runs in the foreground as one process
  std::uint16_t port;                 ///< where it listens
  std::vector<std::string> requests;  ///< sent in turn
  bool refused = false;               ///< whether each is to be answered with 429 but for the first time
};

inline constexpr unsigned kCostConnections = 64;
/// Requests of the short and of the long run.
inline constexpr unsigned kShortRun = 8 * kCostConnections;
inline constexpr unsigned kLongRun = 40 * kCostConnections;

/// What one request costs: the difference between a short and a long run, by the number of requests that the long one
/// has more, so that nothing of start and end is in it. `traffic` is both ends of the proxy; `folder` is for the tool's
/// files. Throws std::runtime_error where the proxy does not start, answers otherwise, or does not end.
double count_per_request(Tool tool, Traffic& traffic, const Load& load, const std::string& folder);

}  // namespace headgate::bench
