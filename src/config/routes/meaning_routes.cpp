// The routes of a valid configuration in words: where each goes, and which limits it has.

#include "meaning_routes.hpp"

#include "config/build.hpp"
#include "meaning_access.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/key_source.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

using gateway::Cost;
using gateway::LimitUse;
using gateway::RouteOptions;

constexpr std::size_t kShown = 50;  // a user with more routes can read them in the file
constexpr std::size_t kWidest = 60;

std::string requests(const RouteOptions& route) {
  return joined(route.methods, ",") + (route.methods.empty() ? "" : " ") + route.host + route.path +
         conditions_in_words(route.conditions);
}

/// " as /v2/*": the path that the server sees.
std::string changes(const gateway::EditOptions& edits) {
  const auto& rewrite = edits.rewrite;
  if (!rewrite.path.empty()) return " as " + rewrite.path;
  std::string out;
  if (!rewrite.strip_prefix.empty()) out += " without " + rewrite.strip_prefix;
  if (!rewrite.add_prefix.empty()) out += std::string(out.empty() ? "" : ",") + " below " + rewrite.add_prefix;
  return out;
}

/// "api 95, api-next 5 of 100 by client_ip"
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
  if (route.respond) return "answers " + std::to_string(route.respond->status);
  const auto to = route.split ? shares(*route.split) : route.to;
  return edits == nullptr ? to : to + changes(*edits);
}

std::string cost(const Cost& cost) {
  switch (cost.from) {
    case Cost::From::constant:
      return cost.default_value == 1 ? "" : "costs " + std::to_string(cost.default_value);
    case Cost::From::method: {
      std::vector<std::string> words;
      for (const auto& [method, each] : cost.methods) words.push_back(method + ' ' + std::to_string(each));
      return "costs " + joined(words, ", ") + ", else " + std::to_string(cost.default_value);
    }
    case Cost::From::request_header:
      return "costs what " + cost.header + " says, at most " + std::to_string(cost.most) + ", else " +
             std::to_string(cost.default_value);
    case Cost::From::response_header:
      return "holds " + std::to_string(cost.default_value) + ", then costs what the answer's " + cost.header + " says";
  }
  return {};
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

std::string limits(const gateway::Options& options, const RouteOptions& route) {
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

}  // namespace

std::string routes_in_words(const gateway::Options& options) {
  const auto shown = std::min(options.routes.size(), kShown);
  std::size_t first = std::string_view("route").size();
  std::size_t second = std::string_view("goes to").size();
  for (std::size_t i = 0; i < shown; ++i) {
    first = std::max(first, std::min(requests(options.routes[i]).size(), kWidest));
    second = std::max(second, target(options.routes[i]).size());
  }
  const auto padded = [](const std::string& text, std::size_t width) {
    return text + std::string(width > text.size() ? width - text.size() : 0, ' ') + "  ";
  };
  std::string out = '\n' + padded("route", first) + padded("goes to", second) + "under\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& route = options.routes[i];
    out += padded(requests(route), first) + padded(target(route), second) + limits(options, route) + '\n';
  }
  if (options.routes.size() > shown) out += "and " + std::to_string(options.routes.size() - shown) + " more routes\n";
  return out;
}

}  // namespace headgate::config
