// Translates the conditions of Kong's routes. If a condition cannot be translated, the route is closed, and also covers
// requests that Kong's route does not match.

#include "translate/draft/json.hpp"
#include "translate/draft/path_regex.hpp"
#include "translate/draft/protect.hpp"
#include "translate/kong/work.hpp"

#include "headgate/core/text.hpp"

namespace headgate::translate {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

/// Returns a number for the order in which Kong checks routes: first those with more kinds of conditions, then those
/// with a host, then those with regular expressions.
std::uint64_t precedence_of(const TreeNode& node, bool regex) {
  std::uint64_t kinds = 0;
  for (const auto* key : {"hosts", "paths", "methods", "headers", "snis", "sources", "destinations"})
    if (node.has(key)) ++kinds;
  return kinds * 4 + (node.has("hosts") ? 2 : 0) + (regex ? 1 : 0);
}
// Kong may check a route in its expressions language before all others, so it is taken to come first.
constexpr std::uint64_t kUnknownFirst = 1000;

std::string path_for(const std::string& path) { return path.ends_with('/') ? path + "*" : path + "/*"; }

std::string without_slash(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  return path;
}

/// The conditions and settings of a route besides hosts and paths.
struct KongRoute {
  KongWork& work;
  const TreeNode& node;
  const KongService& service;
  const KongPlugins& plugins;
  DraftEntry common{};
  bool strips = true;
};

bool has_other_conditions(const TreeNode& node, std::string& which) {
  for (const auto* key : {"snis", "destinations", "expression"})
    if (node.has(key)) {
      which = key;
      return true;
    }
  for (const auto* source : node["sources"].each())
    if (source->has("port")) {
      which = "sources";
      return true;
    }
  return false;
}

void set_headers(const KongRoute& of, DraftEntry& route) {
  Members headers;
  for (const auto& [name, values] : of.node["headers"].members) {
    const auto texts = values.texts();
    bool regex = texts.empty();
    for (const auto& text : texts) regex = regex || text.starts_with("~*");
    headers.emplace_back(name, regex ? "true" : text_or_list(texts));
    if (regex)
      close_route(route, "headers", values.spot, "headers: " + name,
                  "headgate compares whole values, without regular expressions");
  }
  if (!headers.empty()) route.set("headers", object_of(headers));
}

void set_sources(const KongRoute& of, DraftEntry& route) {
  std::vector<std::string> blocks;
  for (const auto* source : of.node["sources"].each())
    if (const auto ip = source->get("ip"); !ip.empty()) blocks.push_back(ip);
  if (!blocks.empty()) route.set("client_ip", texts_of(blocks));
}

/// Recognises "~/users/\d+$". Before Kong 3, expressions had no "~".
bool is_regex(const std::string& path) {
  return path.starts_with('~') || path.find_first_of("\\^$|?*+()[]{}") != std::string::npos;
}

void set_regex_path(const KongRoute& of, const std::string& path, DraftEntry& route) {
  const auto expression = path.starts_with('~') ? path.substr(1) : path;
  const auto regex = regex_path(expression, Begins::at_start);
  route.set("path", json_text(regex.path));
  if (regex.matches.empty())
    return close_route(
        route, "a regular expression", of.node.spot, path,
        "write \"path_matches\", a regular expression of RE2 for the whole path without a slash at its end");
  route.set("path_matches", json_text(regex.matches));
  if (!of.strips) return;
  // strip_path removes what the expression matches, which is the whole path if the expression goes to its end.
  if (expression.ends_with('$'))
    route.set("rewrite", object_of({{"path", json_text(of.service.path.empty() ? "/" : of.service.path)}}));
  else
    close_route(route, "a regular expression", of.node.spot, path,
                "strip_path: headgate only strips whole segments; write \"rewrite\"");
}

void set_path(const KongRoute& of, const std::string& path, bool first, DraftEntry& route) {
  if (is_regex(path)) return set_regex_path(of, path, route);
  route.set("path", json_text(path_for(path)));
  if (!path.ends_with('/')) route.text_prefix = path;
  Members rewrite;
  const auto prefix = without_slash(path);
  if (of.strips && !prefix.empty()) rewrite.emplace_back("strip_prefix", json_text(prefix));
  if (const auto before = without_slash(of.service.path); !before.empty())
    rewrite.emplace_back("add_prefix", json_text(before));
  if (!rewrite.empty()) route.set("rewrite", object_of(rewrite));
  if (!prefix.empty() && !path.ends_with('/') && first)
    say(route, Matter::differs, of.node.spot, path,
        std::string("headgate compares whole segments: ").append(path).append(" and what is below, not ").append(path) +
            "x");
}

void put_one(const KongRoute& of, const std::string& host, const std::string& path, bool alone, bool first) {
  DraftEntry route = of.common;
  if (!first) route.remarks.clear();
  // Two routes must not have the same name.
  if (alone && of.node.has("name")) route.set("name", json_text(of.node.get("name")));
  if (!host.empty()) route.set("host", json_text(lower(host)));
  const bool leads = !of.service.upstream.empty();
  if (leads) route.set("to", json_text(of.service.upstream));
  route.precedence = precedence_of(of.node, is_regex(path));
  set_path(of, path, first, route);
  if (const auto methods = of.node["methods"].texts(); !methods.empty()) route.set("methods", texts_of(methods));
  set_headers(of, route);
  set_sources(of, route);
  if (leads && !is_true(of.node.get("preserve_host"))) route.set("host_header", json_text("server"));
  if (leads) route.set("timeout", of.service.timeout);
  apply_plugins(of.work, of.plugins, route);
  if (!leads && route.get("respond").empty())
    close_route(route, "its service", of.node.spot, route.from, "its service was not translated");
  if (std::string which; has_other_conditions(of.node, which)) {
    if (which == "expression") route.precedence = kUnknownFirst;
    close_route(route, which, of.node[which].spot, which,
                "headgate chooses routes by host, path, method, fields, parameters and addresses");
  }
  put_route(of.work.draft, std::move(route));
}

}  // namespace

void take_kong_route(KongWork& work, const TreeNode& node, const KongService& service, const KongPlugins& plugins) {
  KongRoute of{.work = work, .node = node, .service = service, .plugins = plugins};
  of.common.spot = node.spot;
  of.common.from = "route " + node.get("name");
  of.strips = is_true(node.get("strip_path", "true"));
  if (!service.enabled) return work.draft.say(Matter::aside, node.spot, of.common.from, "its service is not enabled");
  auto hosts = node["hosts"].texts();
  auto paths = node["paths"].texts();
  if (hosts.empty()) hosts.emplace_back();
  if (paths.empty()) paths.emplace_back("/");
  if (node["protocols"].texts() == std::vector<std::string>{"https"}) of.common.set("redirect_to_https", "true");
  if (node.has("regex_priority"))
    say(of.common, Matter::differs, node["regex_priority"].spot, "regex_priority: " + node.get("regex_priority"),
        "headgate takes the most specific route");
  const bool alone = hosts.size() * paths.size() == 1;
  bool first = true;
  for (const auto& host : hosts)
    for (const auto& path : paths) {
      put_one(of, host, path, alone, first);
      first = false;
    }
}

}  // namespace headgate::translate
