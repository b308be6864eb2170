#include "weights.hpp"

#include "json.hpp"

#include <algorithm>
#include <numeric>

namespace headgate::translate {

std::vector<std::uint64_t> proportions(const std::vector<std::uint64_t>& weights, std::uint64_t most) {
  std::uint64_t divisor = 0;
  std::uint64_t largest = 1;
  for (const auto weight : weights) {
    divisor = std::gcd(divisor, weight);
    largest = std::max(largest, weight);
  }
  divisor = std::max<std::uint64_t>(divisor, 1);
  std::vector<std::uint64_t> out;
  out.reserve(weights.size());
  for (const auto weight : weights) {
    const bool fits = largest / divisor <= most;
    out.push_back(fits ? weight / divisor : std::max<std::uint64_t>((weight * most + largest / 2) / largest, 1));
  }
  return out;
}

std::string servers_json(const std::vector<WeightedServer>& servers) {
  constexpr std::uint64_t kMaxWeight = 1000;
  std::vector<std::string> urls;
  std::vector<std::uint64_t> weights;
  for (const auto& server : servers) {
    if (server.weight == 0) continue;
    urls.push_back(json_text(server.url));
    weights.push_back(server.weight);
  }
  const auto shares = proportions(weights, kMaxWeight);
  std::vector<std::string> out;
  out.reserve(urls.size());
  for (std::size_t i = 0; i < urls.size(); ++i)
    out.push_back(shares[i] == 1 ? urls[i] : object_of({{"url", urls[i]}, {"weight", std::to_string(shares[i])}}));
  return list_of(out);
}

}  // namespace headgate::translate
