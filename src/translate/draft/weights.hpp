#pragma once
// Servers with weights, for the importers of all products.

#include <cstdint>
#include <string>
#include <vector>

namespace headgate::translate {

/// Returns the smallest whole numbers with the same proportions, each from 1 to `most`. No weight may be 0. If these
/// numbers would be too large, the largest weight becomes `most`, and the others are rounded.
std::vector<std::uint64_t> proportions(const std::vector<std::uint64_t>& weights, std::uint64_t most);

/// The URL of a server and its weight in the product's file.
struct WeightedServer {
  std::string url;
  std::uint64_t weight = 1;
};
/// Returns the JSON of "servers" with the same proportions. A server with the weight 0 receives no requests, so it is
/// left out.
std::string servers_json(const std::vector<WeightedServer>& servers);

}  // namespace headgate::translate
