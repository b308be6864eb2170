#include "meaning_balance.hpp"

#include "headgate/balance/policy.hpp"
#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"
#include "headgate/gateway/key_source.hpp"

#include <algorithm>
#include <vector>

namespace headgate::config {
namespace {

bool is_plain(const upstream::Options& upstream) {
  const auto plain = [](const upstream::ServerOptions& server) { return server.weight == 1 && !server.backup; };
  return upstream.balance == &balance::default_policy() && upstream.slow_start == Duration(0) &&
         std::all_of(upstream.servers.begin(), upstream.servers.end(), plain);
}

std::string key_in_words(const Config& config, const std::string& upstream) {
  std::vector<std::string> parts;
  for (const auto& each : config.gateway.balance_keys)
    if (each.upstream == upstream)
      for (const auto& per : each.per) parts.push_back(gateway::to_text(per));
  return parts.empty() ? "" : ", " + joined(parts, " and ");
}

std::string of_upstream_servers(const Config& config, const upstream::Options& upstream) {
  std::vector<std::string> weights;
  std::vector<std::string> backups;
  bool equal = true;
  for (const auto& server : upstream.servers) {
    equal = equal && server.weight == upstream.servers.front().weight;
    weights.push_back(server.text + ' ' + std::to_string(server.weight));
    if (server.backup) backups.push_back(server.text);
  }
  std::string out = "\nRequests to upstream " + upstream.name + " go to its servers " +
                    std::string(upstream.balance->meaning) + key_in_words(config, upstream.name) + '\n';
  if (!equal) out += "  their weights: " + joined(weights, ", ") + '\n';
  if (!backups.empty()) out += "  only while no other may be chosen: " + joined(backups, ", ") + '\n';
  if (upstream.balance->keyed)
    out += "  a server with more than 5/4 of its share of the requests in flight is passed over\n";
  if (upstream.slow_start > Duration(0))
    out += "  a server that comes back gets a tenth of its share at first, and all of it after " +
           to_text(upstream.slow_start) + '\n';
  return out;
}

}  // namespace

std::string balance_in_words(const Config& config) {
  std::string out;
  for (const auto& each : config.upstreams)
    if (!is_plain(each)) out += of_upstream_servers(config, each);
  return out;
}

}  // namespace headgate::config
