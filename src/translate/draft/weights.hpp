#pragma once
// Servers with weights, whichever product's numbers they were written in.

#include <cstdint>
#include <string>
#include <vector>

namespace headgate::translate {

/// The smallest whole numbers with the same proportions, each from 1 to `most`. No weight may be 0. If they do not fit,
/// the largest becomes `most`, and the others as much of it as is nearest.
std::vector<std::uint64_t> proportions(const std::vector<std::uint64_t>& weights, std::uint64_t most);

/// A server's URL and its weight there.
struct WeightedServer {
  std::string url;
  std::uint64_t weight = 1;
};
/// JSON of "servers" in the same proportions. A server with the weight 0 gets no requests, and is left out.
std::string servers_json(const std::vector<WeightedServer>& servers);

}  // namespace headgate::translate
