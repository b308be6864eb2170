#pragma once
// The proxies that are compared, each with one worker, keep-alive on both sides and no logs: what file each gets, how
// it is started.

#include "process.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headgate::bench {

/// What a proxy does with a request before it passes it on.
enum class Work {
  plain,   ///< nothing
  limit,   ///< counts it by its X-API-Key, and allows it
  refuse,  ///< counts it by its X-API-Key, and answers 429
};

/// A proxy under measurement, running.
struct Peer {
  std::string name;
  std::uint16_t port;
  std::unique_ptr<Process> process;
};

struct PeerSetup {
  std::string headgate;  ///< path of the binary; empty: not measured
  bool haproxy = false;
  std::string directory;  ///< for their files; exists
  std::uint16_t upstream_port;
  int core;
};

/// nginx twice (the second is the A/A row: what differs there is noise), then HAProxy and headgate. Throws
/// std::runtime_error with the log's end where one does not start.
std::vector<Peer> start_peers(const PeerSetup& setup, Work work);

}  // namespace headgate::bench
