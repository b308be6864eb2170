#include "meaning_access.hpp"

#include "config/table.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <vector>

namespace headgate::config {
namespace {

using gateway::CrossOrigin;

constexpr std::size_t kMaxBlocks = 20;  // blocks "cors"; a user with more can read them in the file

std::string among(const std::vector<std::string>& all) { return joined(all, " or "); }

void add_one_of(std::vector<std::string>& out, const std::string& what, const std::vector<std::string>& all) {
  if (!all.empty()) out.push_back(what + ' ' + among(all));
}

std::string token_in_words(const gateway::TokenDemands& demands) {
  std::vector<std::string> parts;
  add_one_of(parts, "issuer", demands.issuers);
  std::vector<std::string> algorithms;
  for (const auto each : demands.algorithms) algorithms.emplace_back(kJwtAlgorithms[static_cast<std::size_t>(each)]);
  add_one_of(parts, "algorithm", algorithms);
  add_one_of(parts, "audience", demands.audiences);
  if (!demands.scopes.empty()) parts.push_back("scope " + joined(demands.scopes, " and "));
  for (const auto& claim : demands.claims) {
    std::vector<std::string> values;
    for (const auto& value : claim.any_of) values.push_back(value.text);
    add_one_of(parts, claim.name, values);
  }
  return parts.empty() ? "" : "a token with " + joined(parts, ", ");
}

std::string key_in_words(const gateway::KeyDemands& demands) {
  std::vector<std::string> parts;
  add_one_of(parts, "owner", demands.owners);
  add_one_of(parts, "tier", demands.tiers);
  add_one_of(parts, "tag", demands.tags);
  return parts.empty() ? "" : "an API key with " + joined(parts, ", ");
}

std::string pages_of(const CrossOrigin& rules) {
  if (rules.any) return "Every page";
  auto all = rules.origins;
  for (const auto& each : rules.below) all.push_back(each.begin + '*' + each.end);
  return "Pages of " + among(all);
}

}  // namespace

std::string demands_in_words(const gateway::RouteOptions& route) {
  if (!route.demands) return {};
  return route.require == gateway::Require::jwt ? token_in_words(route.demands->token)
                                                : key_in_words(route.demands->key);
}

std::string origins_in_words(const gateway::Options& options) {
  std::vector<std::pair<const CrossOrigin*, std::size_t>> met;
  for (const auto& route : options.routes) {
    if (!route.cross_origin) continue;
    const auto same = [&](const auto& each) { return each.first == route.cross_origin.get(); };
    const auto at = std::find_if(met.begin(), met.end(), same);
    if (at != met.end())
      ++at->second;
    else if (met.size() < kMaxBlocks)
      met.emplace_back(route.cross_origin.get(), 1);
  }
  std::string out;
  for (const auto& [rules, routes] : met) {
    out += '\n' + pages_of(*rules) + " may use " + std::to_string(routes) + (routes == 1 ? " route" : " routes") +
           " from a browser" + (rules->credentials ? ", with its cookies" : "") +
           ".\nIt asks first in a preflight, which takes from no limit; each address may send 50 of them a second.\n";
  }
  return out;
}

}  // namespace headgate::config
