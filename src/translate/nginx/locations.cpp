// A server's locations: each becomes a route for each of the server's hosts.

#include "known.hpp"
#include "translate/draft/addresses.hpp"
#include "translate/draft/json.hpp"
#include "translate/nginx/work.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <array>

namespace headgate::translate {
namespace {

/// What a location is for.
struct Matched {
  std::string path;  ///< of the route; empty: it cannot be translated
  bool ignore_case = false;
  bool prefix = false;
  std::string why;  ///< why not
};

/// A path in which '*' and braces stand for themselves.
std::string literal_path(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '*')
      out += "%2A";
    else if (c == '{')
      out += "%7B";
    else if (c == '}')
      out += "%7D";
    else if (c == ' ')
      out += "%20";
    else
      out += c;
  }
  return out;
}

/// "^/login$" and "^/api/" have no more than a path in them.
Matched simple_expression(std::string_view text, bool ignore_case) {
  constexpr const char* kWhy = "headgate has no regular expressions in paths; it has parameters, as in \"/users/{id}\"";
  Matched out{.path = {}, .ignore_case = ignore_case, .prefix = true, .why = kWhy};
  if (!text.starts_with("^/")) return out;
  text.remove_prefix(1);
  for (const auto* tail : {"/.*$", "/.*", "/(.*)$", "/(.*)"}) {
    if (!text.ends_with(tail)) continue;
    text.remove_suffix(std::string_view(tail).size() - 1);
    break;
  }
  const bool exact = text.ends_with('$');
  if (exact) text.remove_suffix(1);
  std::string path;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && std::string_view(".-/_").find(text[i + 1]) != std::string_view::npos)
      path += text[++i];
    else if (std::string_view("\\^$.|?*+()[]{}").find(text[i]) != std::string_view::npos)
      return out;
    else
      path += text[i];
  }
  if (!exact && !path.ends_with('/')) return out;  // "^/api" takes "/apix" as well, and is meant so
  out.prefix = !exact;
  out.path = exact ? path : path + "*";
  out.why.clear();
  return out;
}

Matched matched(const Directive& location) {
  const auto modifier = location.words.size() > 1 ? location.word(0) : std::string_view();
  const auto text = location.words.size() > 1 ? location.word(1) : location.word(0);
  if (modifier == "~" || modifier == "~*") return simple_expression(text, modifier == "~*");
  if (text.starts_with('@'))
    return {.path = {}, .why = "such a location is reached from error_page and try_files alone"};
  if (!text.starts_with('/')) return {.path = {}, .why = "no path begins so"};
  const auto path = literal_path(text);
  if (modifier == "=") return {.path = path, .why = {}};
  return {.path = path.ends_with('/') ? path + "*" : path + "/*", .prefix = true, .why = {}};
}

/// Where the path of a location that passes requests on leads to.
void set_rewrite(const Directive& proxy_pass, const Matched& match, const std::string& target, DraftEntry& route) {
  if (target.empty()) return;
  if (!match.prefix) return route.set("rewrite", object_of({{"path", json_text(literal_path(target))}}));
  auto own = match.path.substr(0, match.path.size() - 2);  // without "/*"
  const auto question = target.find('?');
  if (question != std::string::npos) {
    say(route, Matter::lost, proxy_pass.spot, proxy_pass.text(), "headgate adds no query");
    return;
  }
  auto other = target;
  while (other.ends_with('/')) other.pop_back();
  if (own == other) return;
  std::vector<std::pair<std::string, std::string>> members;
  if (!own.empty()) members.emplace_back("strip_prefix", json_text(own));
  if (!other.empty()) members.emplace_back("add_prefix", json_text(literal_path(other)));
  if (!members.empty()) route.set("rewrite", object_of(members));
}

/// "rewrite ^/old/(.*)$ /new/$1 break;": true if it was taken over.
bool simple_rewrite(const Directive& rewrite, const Matched& match, DraftEntry& route) {
  auto from = std::string(rewrite.word(0));
  auto to = std::string(rewrite.word(1));
  if (!match.prefix || !from.starts_with('^') || rewrite.word(2) != "break" || !to.ends_with("$1")) return false;
  to.erase(to.size() - 2);
  from.erase(0, 1);
  for (const auto* tail : {"(.*)$", "(.*)"}) {
    if (!from.ends_with(tail)) continue;
    from.erase(from.size() - std::string_view(tail).size());
    break;
  }
  const auto own = match.path.substr(0, match.path.size() - 1);
  if (from != own && from + "/" != own) return false;
  if (to.find('$') != std::string::npos || !to.starts_with('/') || !to.ends_with('/')) return false;
  set_rewrite(rewrite, match, to, route);
  return true;
}

constexpr std::array kContentHandlers{"root",      "alias",     "try_files",      "fastcgi_pass", "uwsgi_pass",
                                      "scgi_pass", "grpc_pass", "memcached_pass", "empty_gif",    "stub_status"};

const Directive* own(const Directive& block, std::string_view name) {
  for (const auto& each : block.block)
    if (each.name == name) return &each;
  return nullptr;
}

/// The methods that "limit_except" leaves, if it denies the others.
std::vector<std::string> allowed_methods(const Directive& location, DraftEntry& route) {
  const auto* const except = own(location, "limit_except");
  if (except == nullptr) return {};
  const bool denies = except->block.size() == 1 && except->block[0].name == "deny" && except->block[0].word(0) == "all";
  if (!denies) {
    say(route, Matter::lost, except->spot, except->text(), "headgate has no such conditions for methods");
    return {};
  }
  auto out = except->words;
  if (std::find(out.begin(), out.end(), "GET") != out.end() && std::find(out.begin(), out.end(), "HEAD") == out.end())
    out.emplace_back("HEAD");
  return out;
}

/// One server's locations.
class Locations {
 public:
  Locations(NginxWork& work, const Directive& server, const std::vector<std::string>& hosts)
      : work_(work), server_(server), hosts_(hosts) {}

  bool takes_rest() const noexcept { return takes_rest_; }

  void take(const Directive& location, const NginxScope& above) {
    NginxScope scope = above;
    scope.enter(location.block);
    DraftEntry route;
    route.spot = location.spot;
    route.from = location.text();
    auto match = matched(location);
    if (match.path.empty()) {
      route.off = true;
      say(route, Matter::lost, location.spot, location.text(), match.why);
      put_route(work_.draft, std::move(route));
    } else {
      route.comments.push_back(location.text());
      fill(location, scope, match, route);
    }
    for (const auto& each : location.block)
      if (each.name == "location") take(each, scope);
  }

  /// A route for each host. `route` has no host yet.
  void put(const DraftEntry& route, const Matched& match, const Directive* answers) {
    bool first = true;
    for (const auto& host : hosts_) {
      DraftEntry copy = route;
      if (!first) copy.remarks.clear();
      first = false;
      copy.fields.insert(copy.fields.begin(), {"path", json_text(match.path)});
      if (!host.empty()) copy.fields.insert(copy.fields.begin(), {"host", json_text(host)});
      if (match.ignore_case) copy.set("ignore_case", "true");
      if (answers != nullptr) answer(*answers, match.path, host, copy);
      if (match.path == "/*") takes_rest_ = true;
      put_route(work_.draft, std::move(copy));
    }
  }

 private:
  void fill(const Directive& location, const NginxScope& scope, const Matched& match, DraftEntry& route) {
    const auto text = location.words.size() > 1 ? location.word(1) : location.word(0);
    if (match.prefix && location.word(0) != "~" && location.word(0) != "~*" && !text.ends_with('/'))
      say(route, Matter::differs, location.spot, location.text(),
          "headgate compares whole segments: " + std::string(text) + " and what is below, not " + std::string(text) +
              "x");
    const bool internal = own(location, "internal") != nullptr;
    auto rest = location.block;
    // An auth service, which is what such a location is for, gets no body anyway.
    if (internal) std::erase_if(rest, [](const auto& each) { return each.name == "proxy_pass_request_body"; });
    say_what_is_left(rest, route.remarks);
    const auto* returns = own(location, "return");
    if (internal) {
      route.set("respond", R"({ "status": 404 })");
      route.comments.emplace_back("internal: nobody outside reaches it");
      return put(route, match, nullptr);
    }
    for (const auto& each : location.block) {
      if (each.name == "if") say(route, Matter::lost, each.spot, each.text(), fate_of(each).why);
      if (each.name == "rewrite" && !simple_rewrite(each, match, route))
        say(route, Matter::lost, each.spot, each.text(), fate_of(each).why);
    }
    if (returns != nullptr) {
      if (!scope.all("limit_req").empty() || !scope.all("limit_conn").empty())
        route.comments.emplace_back("No limits: nginx answers \"return\" before it looks at them.");
      return put(route, match, returns);
    }
    if (take_addresses(scope, route)) {
      route.set("respond", R"({ "status": 403 })");
      return put(route, match, nullptr);
    }
    pass_on(location, scope, match, route);
  }

  /// Who may come from where; whether nobody may.
  static bool take_addresses(const NginxScope& scope, DraftEntry& route) {
    std::vector<AddressRule> rules;
    for (const auto* each : scope.all("allow"))
      rules.push_back({.allow = each->name == "allow", .block = std::string(each->word(0)), .spot = each->spot});
    const bool nobody = !rules.empty() && !rules.front().allow && rules.front().block == "all";
    if (!nobody) set_addresses(rules, route);
    return nobody;
  }

  void pass_on(const Directive& location, const NginxScope& scope, const Matched& match, DraftEntry& route) {
    const auto* const pass = own(location, "proxy_pass");
    std::string authority;
    std::string path;
    bool is_block = false;
    const auto upstream =
        pass == nullptr ? std::string() : upstream_for(work_, *pass, scope, route, authority, path, is_block);
    if (pass == nullptr || upstream.empty()) {
      if (pass == nullptr) {
        for (const auto* name : kContentHandlers)
          if (const auto* const found = own(location, name))
            say(route, Matter::lost, found->spot, found->text(),
                "headgate passes requests on to HTTP servers, and has no such answers");
        const bool only_frame = own(location, "location") != nullptr && route.remarks.empty();
        if (only_frame) return;
        if (route.remarks.empty())
          say(route, Matter::lost, location.spot, location.text(), "nginx serves files here; headgate serves none");
      }
      route.set("respond", R"({ "status": 404, "body": "not translated\n" })");
      apply_limits(work_, scope, route);
      return put(route, match, nullptr);
    }
    route.set("to", json_text(upstream));
    set_rewrite(*pass, match, path, route);
    apply_limits(work_, scope, route);
    set_fields(scope, authority, is_block, route);
    set_bounds(scope, route);
    set_compression(work_, scope, route);
    ask_service(work_, server_, scope, route);
    ask_password(work_, scope, route);
    const auto methods = allowed_methods(location, route);
    if (!methods.empty()) {
      auto others = route;
      others.comments = {"limit_except: all other methods"};
      others.fields.clear();
      others.uses.clear();
      others.remarks.clear();
      others.set("respond", R"({ "status": 403 })");
      route.set("methods", texts_of(methods));
      put(others, match, nullptr);
    }
    put(route, match, nullptr);
  }

  NginxWork& work_;
  const Directive& server_;
  const std::vector<std::string>& hosts_;
  bool takes_rest_ = false;
};

}  // namespace

void take_locations(NginxWork& work, const Directive& server, const NginxScope& scope,
                    const std::vector<std::string>& hosts, bool needs_rest) {
  Locations locations(work, server, hosts);
  const auto* const returns = own(server, "return");
  DraftEntry route;
  route.spot = server.spot;
  route.from = "server";
  if (returns != nullptr) {
    route.comments.push_back("server: " + returns->text());
    locations.put(route, {.path = "/*", .prefix = true, .why = {}}, returns);
    return;
  }
  for (const auto& each : server.block)
    if (each.name == "location" && each.has_block && !each.words.empty()) locations.take(each, scope);
  if (!locations.takes_rest() && needs_rest) {
    route.comments.emplace_back("server: nginx looks for a file where no location matches");
    const auto page = work.pages.find("404");
    route.set("respond", page == work.pages.end()
                             ? R"({ "status": 404 })"
                             : object_of({{"status", "404"}, {"body_file", json_text(page->second)}}));
    locations.put(route, {.path = "/*", .prefix = true, .why = {}}, nullptr);
  }
}

}  // namespace headgate::translate
