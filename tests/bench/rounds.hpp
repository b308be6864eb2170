#pragma once
// The measurement: rounds in which every peer gets its turn, and what is made of them.

#include "peers.hpp"
#include "traffic.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace headgate::bench {

/// One line of the table.
struct Row {
  std::string name;
  Work work;
  std::size_t body;  ///< bytes of an answer
};

struct Plan {
  unsigned rounds = 12;
  std::chrono::milliseconds warm_up{150};
  std::chrono::milliseconds turn{600};  ///< how long a peer is measured in a round
  unsigned connections = 64;
  unsigned keys = 10'000;
};

/// CPU µs a request of every peer, `[peer][round]`. In each round every peer is measured once, in an order that turns
/// from round to round, so that what drifts (clock, caches, neighbours) meets all of them alike. Throws
/// std::runtime_error on a wrong answer.
std::vector<std::vector<double>> measure(Traffic& traffic, const std::vector<Peer>& peers, const Row& row,
                                         const Plan& plan);

/// The middle of what a peer used in a round as a share of what `base` used in the same round, and the quarter and
/// three-quarter points.
struct Ratio {
  double low;
  double middle;
  double high;
};
Ratio ratio(const std::vector<double>& peer, const std::vector<double>& base);

/// The value at `share` (0 to 1) of the sorted values. `values` is not empty.
double quantile(std::vector<double> values, double share);

/// Bytes of resident memory that one more idle keep-alive connection costs `peer`, from `connections` of them, a
/// multiple of 64.
double idle_connection_bytes(Traffic& traffic, const Peer& peer, unsigned connections);

}  // namespace headgate::bench
