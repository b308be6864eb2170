#pragma once
// The measurement: rounds in which every peer has its turn, and their evaluation.

#include "peers.hpp"
#include "traffic.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace headgate::bench {

/// What a figure is for.
enum class Unit {
  request,     ///< on connections that are kept
  connection,  ///< a new one with one request
  resumption,  ///< the same, with a TLS session from before
};

/// One line of the table.
struct Row {
  std::string name;
  Work work;
  std::size_t body;  ///< bytes of an answer
  Unit unit = Unit::request;
  unsigned streams = 0;  ///< on a connection of HTTP/2; 0: HTTP/1.1
};

struct Plan {
  unsigned rounds = 12;
  std::chrono::milliseconds warm_up{150};
  std::chrono::milliseconds turn{600};  ///< how long a peer is measured in a round
  unsigned connections = 64;
  unsigned shared_connections = 2;  ///< where each carries many streams
  unsigned keys = 10'000;
};

/// CPU time of a request or a connection in µs, `[peer][round]`. In each round every peer is measured once, in an order
/// that changes, so that drift (clock, caches, other machines) affects all alike. Throws std::runtime_error on a wrong
/// answer.
std::vector<std::vector<double>> measure(Traffic& traffic, const std::vector<Peer>& peers, const Row& row,
                                         const Plan& plan);

/// The median of the shares, round by round, of what a peer used against `base`, and the quarter and three-quarter
/// points.
struct Ratio {
  double low;
  double middle;
  double high;
};
Ratio ratio(const std::vector<double>& peer, const std::vector<double>& base);

/// The value at `share` (0 to 1) of the sorted values. `values` is not empty.
double quantile(std::vector<double> values, double share);

/// The resident memory of one more idle keep-alive connection of `peer`, in bytes, from `connections` of them, a
/// multiple of 64. `calling` says what they speak.
double idle_connection_bytes(Traffic& traffic, const Peer& peer, const Calling& calling, unsigned connections);

/// The same of one more open stream of HTTP/2 that waits for its server, from `streams` on each of `connections`.
double open_stream_bytes(Traffic& traffic, const Peer& peer, Calling calling, unsigned connections, unsigned streams);

}  // namespace headgate::bench
