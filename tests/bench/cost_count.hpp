#pragma once
// Counts the work of a proxy for a request: instructions with callgrind, system calls with strace. Unlike times, these
// are nearly the same in every run.

#include "traffic.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace headgate::bench {

enum class Tool {
  callgrind,  ///< instructions of the process itself, none of the kernel's
  strace,     ///< system calls, without those around waiting
};

/// What to send, and to which proxy.
struct Load {
  std::vector<std::string> command;   ///< of the proxy, which runs in the foreground as one process
  std::uint16_t port;                 ///< where it listens
  std::vector<std::string> requests;  ///< sent in turn
  bool refused = false;               ///< whether each must be answered with 429, except the first time
  Secrecy secrecy = Secrecy::none;
  unsigned streams = 0;  ///< at the same time on a connection of HTTP/2; 0: HTTP/1.1
  bool grpc = false;     ///< calls of gRPC
  bool decides = false;  ///< calls of a rate limit service, with `requests` as their messages
};

inline constexpr unsigned kCostConnections = 64;
/// Where each carries many streams.
inline constexpr unsigned kSharedConnections = 2;
/// Requests of the short run, for each that is under way at the same time.
inline constexpr unsigned kShortRun = 8;
/// How many more the long run has, at least. What starting and ending takes differs by a million instructions from one
/// run to the next: of 2,000 requests that was 3 % of each.
inline constexpr unsigned kMore = 8'000;

/// The cost of one request: the difference between a short and a long run, divided by the difference in requests, so
/// that start and end are not counted. `traffic` is both ends of the proxy; `folder` is for the files of the tool.
/// Throws std::runtime_error if the proxy does not start, gives another answer, or does not end.
double count_per_request(Tool tool, Traffic& traffic, const Load& load, const std::string& folder);

}  // namespace headgate::bench
