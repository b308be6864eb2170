#pragma once
// The compared proxies, and how each is started.

#include "peer_files.hpp"
#include "process.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headgate::bench {

/// A proxy under measurement, running.
struct Peer {
  std::string name;
  std::uint16_t port;
  std::unique_ptr<Process> process;
  bool tls = false;  ///< whether callers speak TLS with it
};

struct PeerSetup {
  std::string headgate;  ///< path of the binary; empty: not measured
  bool haproxy = false;
  bool nghttpx = false;   ///< where they speak HTTP/2
  std::string directory;  ///< for their files; exists
  std::uint16_t upstream_port;
  std::uint16_t grpc_port;  ///< of the upstream where calls of gRPC are measured
  int core;
  std::string certificate = {};  ///< where they speak TLS, as Place has it
};

/// The last peer where the access log is measured: headgate without one.
inline constexpr const char* kWithoutLog = "no-log";
/// The last peer where TLS is measured: headgate without it.
inline constexpr const char* kWithoutTls = "no-tls";

/// nginx twice (the difference of the second one is noise: the A/A row), then HAProxy, nghttpx and headgate. Throws
/// std::runtime_error with the end of the log if one does not start.
std::vector<Peer> start_peers(const PeerSetup& setup, Work work);

}  // namespace headgate::bench
