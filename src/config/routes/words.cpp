// Describes routes in words.

#include "config/words.hpp"

#include "config/build.hpp"
#include "config/table.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/http/path.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace headgate::config {
namespace {

using gateway::Cors;

// maximum number of blocks of "cors" that are described; further ones can be read in the file
constexpr std::size_t kMaxBlocks = 20;

std::string among(const std::vector<std::string>& all) { return joined(all, " or "); }

void add_one_of(std::vector<std::string>& out, const std::string& what, const std::vector<std::string>& all) {
  if (!all.empty()) out.push_back(what + ' ' + among(all));
}

std::string token_in_words(const gateway::TokenDemands& demands) {
  std::vector<std::string> parts;
  add_one_of(parts, "issuer", demands.issuers);
  std::vector<std::string> algorithms;
  for (const auto each : demands.algorithms) algorithms.emplace_back(identity::kJwtAlgorithmNames[each]);
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

std::string pages_of(const Cors& rules) {
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

std::string origins_in_words(const gateway::PathOptions& options) {
  std::vector<std::pair<const Cors*, std::size_t>> met;
  for (const auto& route : options.routes) {
    if (!route.cors) continue;
    const auto same = [&](const auto& each) { return each.first == route.cors.get(); };
    const auto at = std::find_if(met.begin(), met.end(), same);
    if (at != met.end())
      ++at->second;
    else if (met.size() < kMaxBlocks)
      met.emplace_back(route.cors.get(), 1);
  }
  std::string out;
  for (const auto& [rules, routes] : met) {
    out += '\n' + pages_of(*rules) + " may use " + std::to_string(routes) + (routes == 1 ? " route" : " routes") +
           " from a browser" + (rules->credentials ? ", with its cookies" : "") +
           ".\nIt asks first in a preflight, which takes from no limit; each address may send 50 of them a second.\n";
  }
  return out;
}

std::string regexes_in_words(const gateway::PathOptions& options) {
  const auto routes = std::count_if(options.routes.begin(), options.routes.end(),
                                    [](const auto& route) { return route.conditions.path != nullptr; });
  if (routes == 0) return {};
  const bool one = routes == 1;
  return '\n' + std::to_string(routes) + (one ? " route has" : " routes have") +
         " a regular expression. A request whose path fits " + (one ? "its" : "such a") +
         " pattern pays for it: about 0.1 µs, and 1.2 µs more for each KiB of its path.\n";
}

std::string compression_in_words(const gateway::PathOptions& options) {
  const auto routes = std::count_if(options.routes.begin(), options.routes.end(),
                                    [](const auto& route) { return route.compression != nullptr; });
  if (routes == 0) return {};
  return '\n' + std::to_string(routes) +
         (routes == 1 ? " route compresses its answers" : " routes compress their answers") +
         " for clients that take it. The length of such an answer tells about a secret\nthat stands in it beside what "
         "a "
         "caller chose (docs/compression.md).\n";
}

namespace {

using gateway::RouteOptions;

bool is_wild(std::string_view segment) { return segment == "*" || segment.starts_with('{'); }

/// Returns whether a server that reads an encoded slash as a slash may take a path of `keeper` for a path of `other`.
/// That is possible if both paths are alike up to the first wildcard of `keeper`.
bool may_become(const RouteOptions& keeper, const RouteOptions& other) {
  const bool same_host = keeper.host == other.host || keeper.host.empty() || other.host.empty() ||
                         keeper.host.starts_with('*') || other.host.starts_with('*');
  if (!same_host || keeper.path == other.path) return false;
  const auto own_text = http::fold_case(keeper.path), other_text = http::fold_case(other.path);
  std::string_view own = own_text, its = other_text;
  while (!own.empty() && !its.empty()) {
    const auto wanted = http::next_segment(own), segment = http::next_segment(its);
    if (is_wild(wanted) || segment == "*") return true;
    if (!is_wild(segment) && segment != wanted) return false;
  }
  return false;
}

}  // namespace

std::string kept_slashes(const gateway::PathOptions& options) {
  // maximum number of routes that are explained, because each is compared with all routes
  constexpr std::size_t kShown = 50;
  constexpr std::size_t kNamed = 20;
  std::string out;
  std::size_t keepers = 0;
  for (const auto& keeper : options.routes) {
    if (keeper.encoded_slash != gateway::EncodedSlash::keep || ++keepers > kShown) continue;
    std::string others;
    std::size_t found = 0;
    for (const auto& each : options.routes) {
      // "/*" is left out, because it would be named for every route, and less specific routes usually require less.
      if (each.path == "/*" || !may_become(keeper, each) || ++found > kNamed) continue;
      others += (others.empty() ? "\"" : ", \"") + each.name + '"';
    }
    if (found > kNamed) others += " and of " + std::to_string(found - kNamed) + " more routes";
    out +=
        "\nRoute \"" + keeper.name +
        "\" passes on %2F and %5C as a part of their segment, and what is encoded twice. A server that reads a slash "
        "there sees a deeper path, " +
        (others.empty() ? "for which there is no other route.\n"
                        : "but the checks and limits of " + others + " do not apply.\n");
  }
  if (keepers > kShown) out += "\n" + std::to_string(keepers - kShown) + " more routes pass them on.\n";
  return out;
}

namespace {

using gateway::Cost;
using gateway::LimitUse;
using gateway::RouteOptions;

constexpr std::size_t kShown = 50;  // maximum number of routes in the table; further ones can be read in the file
constexpr std::size_t kWidest = 60;

std::string requests(const RouteOptions& route) {
  if (route.descriptor) return route.name;
  return joined(route.methods, ",") + (route.methods.empty() ? "" : " ") + route.host + route.path +
         conditions_in_words(route.conditions);
}

/// Returns, for example, " as /v2/*", if the server sees another path.
std::string changes(const gateway::EditOptions& edits) {
  const auto& rewrite = edits.rewrite;
  if (!rewrite.path.empty()) return " as " + rewrite.path;
  std::string out;
  if (!rewrite.strip_prefix.empty()) out += " without " + rewrite.strip_prefix;
  if (!rewrite.add_prefix.empty()) out += std::string(out.empty() ? "" : ",") + " below " + rewrite.add_prefix;
  return out;
}

/// Returns, for example, "api 95, api-next 5 of 100 by client_ip".
std::string shares(const gateway::Split& split) {
  std::uint64_t all = 0;
  std::string out;
  for (const auto& share : split.shares) {
    all += share.weight;
    out += (out.empty() ? "" : ", ") + share.upstream + ' ' + std::to_string(share.weight);
  }
  out += " of " + std::to_string(all);
  std::string by;
  for (const auto& part : split.by) by += (by.empty() ? " by " : " and ") + gateway::to_text(part);
  return out + by;
}

std::string target(const RouteOptions& route) {
  const auto* const edits = route.edits.get();
  if (edits != nullptr && edits->redirect)
    return "redirects (" + std::to_string(edits->redirect->status) + ") to " + edits->redirect->to;
  if (route.descriptor) return route.descriptor->rejects ? "a rejection" : "a decision";
  if (route.respond) return "answers " + std::to_string(route.respond->status);
  auto to = route.split ? shares(*route.split) : route.to;
  if (!route.to_instead.empty()) to += ", what is rejected to " + route.to_instead;
  if (!route.model_instead.empty()) to += " as model " + route.model_instead;
  return edits == nullptr ? to : to + changes(*edits);
}

std::string cost(const Cost& cost) {
  if (cost.from != nullptr) return cost.from->meaning(cost);
  return cost.default_value == 1 ? "" : "costs " + std::to_string(cost.default_value);
}

std::string use(const LimitUse& use) {
  std::vector<std::string> words;
  if (auto text = cost(use.cost); !text.empty()) words.push_back(std::move(text));
  if (use.scale_up != use.scale_down) {
    words.push_back("at " + std::to_string(use.scale_up) +
                    (use.scale_down == 1 ? " times" : '/' + std::to_string(use.scale_down) + " of") + " its size");
  }
  return use.limit + (words.empty() ? "" : " (" + joined(words, "; ") + ')');
}

std::string limits(const gateway::PathOptions& options, const RouteOptions& route) {
  std::vector<std::string> words;
  for (const auto& each : options.all_routes.limits) {
    const auto& skipped = route.skip_limits;
    if (std::find(skipped.begin(), skipped.end(), each.limit) == skipped.end()) words.push_back(use(each));
  }
  for (const auto& each : route.limits) words.push_back(use(each));
  if (!route.waiting_room.empty()) words.push_back("waiting room " + route.waiting_room);
  if (words.empty()) words.emplace_back("no limit");
  if (auto demands = demands_in_words(route); !demands.empty()) words.push_back("for " + demands);
  return joined(words, ", ");
}

/// Returns who may use a route: the credentials that a caller must show.
std::vector<std::string> callers(const gateway::PathOptions& options, const RouteOptions& route) {
  constexpr unsigned kFirstError = 400;
  if (route.respond && route.respond->status >= kFirstError) return {"nobody"};
  std::vector<std::string> words;
  if (route.require == gateway::Require::jwt) words.emplace_back("a token");
  if (route.require == gateway::Require::api_key) words.emplace_back("an API key");
  if (route.require == gateway::Require::mtls) words.emplace_back("a certificate");
  if (route.basic) words.emplace_back("a password");
  if (route.auth) words.emplace_back("an auth service");
  if (route.addresses || options.all_routes.addresses) words.emplace_back("some addresses");
  if (words.empty()) words.emplace_back("anyone");
  return words;
}

}  // namespace

std::string routes_in_words(const gateway::PathOptions& options) {
  const auto shown = std::min(options.routes.size(), kShown);
  std::size_t first = std::string_view("route").size();
  std::size_t second = std::string_view("goes to").size();
  std::size_t third = std::string_view("open to").size();
  for (std::size_t i = 0; i < shown; ++i) {
    first = std::max(first, std::min(requests(options.routes[i]).size(), kWidest));
    second = std::max(second, target(options.routes[i]).size());
    third = std::max(third, joined(callers(options, options.routes[i]), ", ").size());
  }
  const auto padded = [](const std::string& text, std::size_t width) {
    return text + std::string(width > text.size() ? width - text.size() : 0, ' ') + "  ";
  };
  std::string out = '\n' + padded("route", first) + padded("goes to", second) + padded("open to", third) + "under\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& route = options.routes[i];
    out += padded(requests(route), first) + padded(target(route), second) +
           padded(joined(callers(options, route), ", "), third) + limits(options, route) + '\n';
  }
  if (options.routes.size() > shown) out += "and " + std::to_string(options.routes.size() - shown) + " more routes\n";
  return out;
}

nlohmann::ordered_json routes_as_json(const gateway::PathOptions& options) {
  auto out = nlohmann::ordered_json::array();
  for (const auto& route : options.routes)
    out.push_back({{"name", route.name},
                   {"requests", requests(route)},
                   {"goes_to", target(route)},
                   {"open_to", callers(options, route)},
                   {"under", limits(options, route)}});
  return out;
}

}  // namespace headgate::config
