// Translates a server's locations into routes for each of its hosts. nginx finds the longest path, and then tries the
// regular expressions in their order. headgate picks the most specific path. So the routes of an expression are
// repeated at each such path.

#include "conditions.hpp"
#include "known.hpp"
#include "matches.hpp"
#include "translate/draft/json.hpp"
#include "translate/draft/protect.hpp"
#include "translate/nginx/protection.hpp"
#include "translate/nginx/work.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <array>
#include <list>

namespace headgate::translate {
namespace {

constexpr const char* kNotTranslated = R"({ "status": 404, "body": "not translated\n" })";

constexpr std::array kContentHandlers{"root",      "alias",     "try_files",      "fastcgi_pass", "uwsgi_pass",
                                      "scgi_pass", "grpc_pass", "memcached_pass", "empty_gif",    "stub_status"};

const Directive* own(const Directive& block, std::string_view name) {
  for (const auto& each : block.block)
    if (each.name == name) return &each;
  return nullptr;
}

/// Returns the methods that "limit_except" does not restrict.
NginxMethods methods_but(const Directive& except) {
  auto methods = except.words;
  if (std::ranges::find(methods, "GET") != methods.end() && std::ranges::find(methods, "HEAD") == methods.end())
    methods.emplace_back("HEAD");
  return {.methods = std::move(methods), .others = true, .respond = {}, .from = &except, .block = &except};
}

bool names_methods(const Directive& location) {
  return std::ranges::any_of(location.block, [](const Directive& each) {
    return each.name == "limit_except" || (each.name == "if" && each.word(0).ends_with("$request_method"));
  });
}

/// A location with a regular expression.
struct Expression {
  const Directive* location = nullptr;
  NginxScope scope;
  NginxMatch match;
};
/// Expressions in the order in which nginx tries them.
using Chain = std::vector<const Expression*>;

class Locations {
 public:
  Locations(NginxWork& work, const Directive& server, const std::vector<std::string>& hosts)
      : work_(work), server_(server), hosts_(hosts) {}

  void take(const Directive& level, const NginxScope& scope) {
    const auto own_chain = expressions_of(level, scope);
    take_level(level, scope, own_chain, {});
    if (!takes_rest_) repeat(own_chain, {.path = "/*", .path_matches = {}, .prefix = true, .why = {}});
  }

  bool takes_rest() const noexcept { return takes_rest_; }

  void put(const DraftEntry& route, const NginxScope& scope, const NginxMatch& match, const Directive* answers) {
    bool first = true;
    for (const auto& host : hosts_) {
      DraftEntry copy = route;
      if (!first) copy.remarks.clear();
      first = false;
      if (!match.path_matches.empty())
        copy.fields.insert(copy.fields.begin(), {"path_matches", json_text(match.path_matches)});
      copy.fields.insert(copy.fields.begin(), {"path", json_text(match.path)});
      if (!host.empty()) copy.fields.insert(copy.fields.begin(), {"host", json_text(host)});
      if (match.ignore_case) copy.set("ignore_case", "true");
      if (answers != nullptr) answer(*answers, scope, match.path, host, copy);
      std::optional<NginxMethods> methods;
      take_conditions(work_, server_, copy, methods);
      if (methods) put_methods(copy, *methods);
      if (match.path == "/*" && match.path_matches.empty()) takes_rest_ = true;
      (early_ ? first_routes_ : late_ ? last_routes_ : routes_).push_back(std::move(copy));
    }
  }

  void write() {
    // Longest first, the order in which nginx prefers them.
    std::ranges::stable_sort(last_routes_, [](const auto& a, const auto& b) {
      return a.get("path_matches").size() > b.get("path_matches").size();
    });
    for (auto* const all : {&first_routes_, &routes_, &last_routes_})
      for (auto& each : *all) put_route(work_.draft, std::move(each));
  }

 private:
  /// Returns the expressions of a level that cannot be written as routes with plain paths.
  Chain expressions_of(const Directive& level, const NginxScope& above) {
    Chain out;
    for (const auto& each : level.block) {
      if (each.name != "location" || each.words.empty() || !is_regex(each)) continue;
      auto& made = expressions_.emplace_back();
      made.location = &each;
      made.scope = above;
      made.scope.enter(each.block);
      made.match = regex_match_of(each);
      const auto simple = match_of(each);
      const auto meets = [&](const Expression* other) { return may_take(other->match, simple); };
      if (simple.path.empty() || std::ranges::any_of(out, meets) || has_deeper(level, simple)) {
        out.push_back(&made);
      } else {
        made.match = simple;
        take_one(each, made.scope, simple, {});
      }
    }
    return out;
  }

  /// Returns whether another location of the level has a longer path, which headgate prefers.
  static bool has_deeper(const Directive& level, const NginxMatch& match) {
    return std::ranges::any_of(level.block, [&](const Directive& each) {
      if (each.name != "location" || each.words.empty() || is_regex(each)) return false;
      const auto other = match_of(each).path;
      return match.ignore_case || (other.size() >= match.path.size() && patterns_meet(other, match.path));
    });
  }

  void take_level(const Directive& level, const NginxScope& above, const Chain& beside, const Chain& outer) {
    for (const auto& each : level.block) {
      if (each.name != "location" || !each.has_block || each.words.empty() || is_regex(each)) continue;
      NginxScope scope = above;
      scope.enter(each.block);
      const auto match = match_of(each);
      Chain after = outer;
      if (!before_regexes(each)) after.insert(after.begin(), beside.begin(), beside.end());
      const auto inside = expressions_of(each, scope);
      if (match.path.empty()) {
        DraftEntry route;
        route.spot = each.spot;
        route.from = each.text();
        route.off = true;
        say(route, Matter::lost, each.spot, each.text(), match.why);
        routes_.push_back(std::move(route));
      } else {
        auto chain = inside;
        if (match.prefix) chain.insert(chain.end(), after.begin(), after.end());
        take_one(each, scope, match, chain);
      }
      take_level(each, scope, inside, after);
    }
  }

  /// Translates a location and the expressions that nginx tries before it.
  void take_one(const Directive& location, const NginxScope& scope, const NginxMatch& match, const Chain& chain) {
    const auto* const blocker = repeat(chain, match);
    DraftEntry route;
    route.spot = location.spot;
    route.from = location.text();
    route.comments.push_back(location.text());
    if (blocker != nullptr)
      close_once(work_, route, "location", *blocker->location, blocker->location->text(), blocker->match.why);
    const bool open_segment = match.prefix && !is_regex(location) && !uri_of(location).ends_with('/');
    const auto before = routes_.size();
    fill(location, scope, match, route, open_segment);
    // If the location keeps callers out of "/admin", they must also be kept out of "/adminx".
    const bool refuses = before < routes_.size() && !lets_all_in(routes_.back()) &&
                         (routes_.back().get("respond") != kNotTranslated || !routes_.back().get("addresses").empty());
    if (!open_segment || !refuses) return;
    const auto rest = rest_of_segment(uri_of(location));
    early_ = before_regexes(location);
    late_ = !early_;
    DraftEntry other;
    other.spot = location.spot;
    other.from = location.text();
    other.comments = {location.text() + ": paths that continue this segment"};
    other.closed = route.closed;
    fill(location, scope, rest, other, false);
    early_ = late_ = false;
  }

  /// Adds the routes of expressions at a path. Returns the first untranslatable one that keeps requests out, or null.
  const Expression* repeat(const Chain& chain, const NginxMatch& at) {
    const Expression* blocker = nullptr;
    bool first = true;
    for (const auto* each : chain) {
      if (!patterns_meet(each->match.path, at.path)) continue;
      auto there = each->match;
      if (there.path.size() < at.path.size()) there.path = at.path;
      const bool again = !repeated_.insert(each->location->text() + ' ' + there.path).second;
      if (again && !there.path_matches.empty()) continue;
      DraftEntry route;
      route.spot = each->location->spot;
      route.from = each->location->text();
      route.comments.push_back(each->location->text());
      if (there.path_matches.empty()) {
        if (blocks(*each, there) && blocker == nullptr) blocker = each;
        continue;
      }
      // If two routes have the same path, headgate would prefer the one with methods, but nginx the first one.
      if (!first && names_methods(*each->location))
        close_once(work_, route, "limit_except", *each->location, each->location->text(),
                   "write \"methods\" in a route before those with other expressions");
      first = false;
      fill(*each->location, each->scope, there, route, false);
    }
    return blocker;
  }

  /// Returns whether an expression that cannot be translated keeps requests out. Adds a remark if it does not.
  bool blocks(const Expression& each, const NginxMatch& there) {
    DraftEntry probe;
    probe.spot = each.location->spot;
    probe.from = each.location->text();
    const auto before = routes_.size();
    const auto said = work_.said;
    const bool took_rest = takes_rest_;
    fill(*each.location, each.scope, there, probe, false);
    const bool open = std::all_of(routes_.begin() + static_cast<std::ptrdiff_t>(before), routes_.end(), lets_all_in);
    routes_.resize(before);
    work_.said = said;
    takes_rest_ = took_rest;
    filled_.erase(each.location);
    if (open && work_.said.insert(each.location->text()).second)
      work_.draft.say(Matter::lost, each.location->spot, each.location->text(), each.match.why);
    return !open;
  }

  void fill(const Directive& location, const NginxScope& scope, const NginxMatch& match, DraftEntry& route,
            bool open_segment) {
    const auto text = std::string(uri_of(location));
    const bool new_here = filled_.insert(&location).second;
    if (open_segment)
      say(route, Matter::differs, location.spot, location.text(),
          "headgate compares whole segments: " + text + " and what is below, not " + text + "x");
    const bool internal = own(location, "internal") != nullptr;
    auto rest = location.block;
    // An internal location is an auth service, which receives no body from headgate anyway.
    if (internal) std::erase_if(rest, [](const auto& each) { return each.name == "proxy_pass_request_body"; });
    if (new_here) say_what_is_left(rest, route.remarks);
    if (internal) {
      route.set("respond", R"({ "status": 404 })");
      route.comments.emplace_back("internal: clients cannot reach it");
      return put(route, scope, match, nullptr);
    }
    const auto* returns = own(location, "return");
    route.set("path", json_text(match.path));  // take_conditions() reads the path; put() sets it later
    std::optional<NginxMethods> methods;
    take_conditions(work_, location, route, methods);
    route.set("path", {});
    for (const auto& each : location.block)
      if (each.name == "rewrite" && !leads_away(each) && !simple_rewrite(each, match, route) && new_here)
        say(route, Matter::lost, each.spot, each.text(), fate_of(each).why);
    if (returns != nullptr) {
      if (!scope.all("limit_req").empty() || !scope.all("limit_conn").empty())
        route.comments.emplace_back("No limits: nginx answers \"return\" before it checks them.");
      set_answer_fields(scope, status_of(*returns), route);
      return put(route, scope, match, returns);
    }
    pass_on(location, scope, match, std::move(methods), route);
  }

  void pass_on(const Directive& location, const NginxScope& scope, const NginxMatch& match,
               std::optional<NginxMethods> methods, DraftEntry& route) {
    const auto* const pass = own(location, "proxy_pass");
    std::string authority;
    std::string path;
    bool is_block = false;
    const auto upstream =
        pass == nullptr ? std::string() : upstream_for(work_, *pass, scope, route, authority, path, is_block);
    if (upstream.empty()) return pass_nothing_on(location, scope, match, route);
    route.set("to", json_text(upstream));
    set_rewrite(*pass, match, path, route);
    apply_limits(work_, scope, route);
    set_request_fields(work_, scope, authority, is_block, route);
    set_answer_fields(scope, 0, route);
    set_bounds(scope, route);
    set_compression(work_, scope, route);
    const auto bare = route;
    protect(work_, server_, scope, route);
    if (const auto* const except = own(location, "limit_except")) {
      if (methods)
        close_once(work_, route, "limit_except", *except, except->text(), "another condition names methods already");
      methods = methods_but(*except);
    }
    if (methods) put_methods_of(bare, *methods, scope, match, route);
    put(route, scope, match, nullptr);
  }

  /// Translates a location that passes its requests to no server.
  void pass_nothing_on(const Directive& location, const NginxScope& scope, const NginxMatch& match, DraftEntry& route) {
    const bool proxy = own(location, "proxy_pass") != nullptr;
    // A location that only contains other locations has no route.
    if (!proxy && own(location, "location") != nullptr && route.remarks.empty()) return;
    const bool new_here = work_.said.insert(location.text() + " files").second;
    bool told = proxy || !new_here;
    for (const auto* name : kContentHandlers)
      if (const auto* const found = own(location, name); found != nullptr && new_here && !proxy) {
        told = true;
        say(route, Matter::lost, found->spot, found->text(),
            "headgate passes requests on to HTTP servers, and has no such answers");
      }
    protect(work_, server_, scope, route);
    if (!route.get("respond").empty()) return put(route, scope, match, nullptr);
    if (!told)
      say(route, Matter::lost, location.spot, location.text(), "nginx serves files here; headgate serves none");
    route.set("respond", kNotTranslated);
    apply_limits(work_, scope, route);
    put(route, scope, match, nullptr);
  }

  /// Adds the routes of the methods that are treated differently. `route` is the route of the other methods.
  void put_methods_of(const DraftEntry& bare, const NginxMethods& methods, const NginxScope& scope,
                      const NginxMatch& match, DraftEntry& route) {
    auto other = bare;
    other.remarks.clear();
    other.comments = {methods.from->text()};
    if (methods.block != nullptr) {
      NginxScope inside = scope;
      inside.enter(methods.block->block);
      protect(work_, server_, inside, other);
      for (const auto& each : methods.block->block)
        if (each.name == "if" || each.name == "rewrite" || each.name == "return")
          close_once(work_, other, "limit_except", each, each.text(), "write a route with \"methods\"");
    } else {
      keep_requests_alone(other);
      other.set("respond", methods.respond);
    }
    (methods.others ? route : other).set("methods", texts_of(methods.methods));
    put(other, scope, match, nullptr);
  }

  /// Adds such routes for a condition of the whole server. `route` already has its host and path.
  void put_methods(DraftEntry& route, const NginxMethods& methods) {
    if (!route.get("methods").empty() || route.get("to").empty()) {
      // Both the server and the location have conditions on methods: only those of the location are translated.
      if (!route.get("to").empty())
        close_once(work_, route, "if", *methods.from, methods.from->text(), "another condition names methods already");
      return;
    }
    auto other = route;
    other.remarks.clear();
    other.comments = {"server: methods"};
    keep_requests_alone(other);
    other.set("respond", methods.respond);
    (methods.others ? route : other).set("methods", texts_of(methods.methods));
    routes_.push_back(std::move(other));
  }

  static void keep_requests_alone(DraftEntry& route) {
    std::erase_if(route.fields, [](const auto& field) {
      return field.key != "host" && field.key != "path" && field.key != "path_matches" && field.key != "ignore_case";
    });
    route.uses.clear();
  }

  NginxWork& work_;
  const Directive& server_;
  const std::vector<std::string>& hosts_;
  std::list<Expression> expressions_;
  std::set<std::string> repeated_;        ///< pairs of an expression and the path at which it was repeated
  std::set<const Directive*> filled_;     ///< locations whose remarks were reported
  std::vector<DraftEntry> first_routes_;  ///< routes that nginx tries before expressions
  std::vector<DraftEntry> routes_;
  std::vector<DraftEntry> last_routes_;  ///< routes that nginx tries after expressions
  bool early_ = false;
  bool late_ = false;
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
  const NginxMatch all{.path = "/*", .path_matches = {}, .prefix = true, .why = {}};
  if (returns != nullptr) {
    route.comments.push_back("server: " + returns->text());
    set_answer_fields(scope, status_of(*returns), route);
    locations.put(route, scope, all, returns);
    return locations.write();
  }
  locations.take(server, scope);
  if (!locations.takes_rest() && needs_rest) {
    route.comments.emplace_back("server: nginx looks for a file where no location matches");
    const auto page = work.pages.find("404");
    route.set("respond", page == work.pages.end()
                             ? R"({ "status": 404 })"
                             : object_of({{"status", "404"}, {"body_file", json_text(page->second)}}));
    locations.put(route, scope, all, nullptr);
  }
  locations.write();
}

}  // namespace headgate::translate
