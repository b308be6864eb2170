#include "protect.hpp"

#include "json.hpp"
#include "write.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace headgate::translate {
namespace {

constexpr std::array<std::string_view, 5> kProtections{"auth", "basic", "require", "addresses", "unknown_key"};

/// The keys that decide which requests a route matches. A closed route keeps them.
constexpr std::array<std::string_view, 11> kOfRequests{
    "name",    "host",  "path",      "ignore_case",  "encoded_slash",    "methods",
    "headers", "query", "client_ip", "path_matches", "redirect_to_https"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& all, std::string_view key) {
  return std::find(all.begin(), all.end(), key) != all.end();
}

/// Returns the text of a JSON string without its quotes.
std::string_view plain(std::string_view json) { return json.size() < 2 ? json : json.substr(1, json.size() - 2); }

/// Returns the literal beginning of a path.
std::string_view literal_of(std::string_view path) { return path.substr(0, path.find_first_of("*{")); }

bool is_exact(std::string_view path) { return path.find_first_of("*{") == std::string_view::npos; }

/// Returns whether one request may match both paths.
bool may_meet(std::string_view a, std::string_view b) {
  if (is_exact(a) && is_exact(b)) return a == b;
  auto shorter = literal_of(a);
  auto longer = literal_of(b);
  if (shorter.size() > longer.size()) std::swap(shorter, longer);
  // "/x/*" also matches "/x".
  return longer.starts_with(shorter) ||
         (shorter.size() + 1 == longer.size() && longer.ends_with('/') && longer.starts_with(shorter));
}

bool hosts_meet(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty() || a == b) return true;
  const auto below = [](std::string_view wide, std::string_view host) {
    return wide.starts_with("*.") && host.ends_with(wide.substr(1));
  };
  return below(a, b) || below(b, a);
}

/// Ranks a host: exact hosts before "*.example.com", and that before routes without a host.
int rank_of_host(std::string_view host) { return host.empty() ? 0 : host.starts_with("*.") ? 1 : 2; }

bool has_conditions(const DraftEntry& route) {
  constexpr std::array<std::string_view, 4> kConditions{"headers", "query", "client_ip", "path_matches"};
  return std::ranges::any_of(kConditions, [&](auto key) { return !route.get(key).empty(); });
}

}  // namespace

bool is_before(const DraftEntry& first, const DraftEntry& second) {
  const auto hosts = std::pair(rank_of_host(plain(first.get("host"))), rank_of_host(plain(second.get("host"))));
  if (hosts.first != hosts.second) return hosts.first > hosts.second;
  const auto one = plain(first.get("path"));
  const auto other = plain(second.get("path"));
  if (one == other) return has_conditions(first) && !has_conditions(second);
  if (one.find('{') != std::string_view::npos || other.find('{') != std::string_view::npos) return false;
  return is_exact(one) || literal_of(one).size() > literal_of(other).size();
}

bool may_meet(const DraftEntry& one, const DraftEntry& other) {
  return hosts_meet(plain(one.get("host")), plain(other.get("host"))) &&
         may_meet(plain(one.get("path")), plain(other.get("path")));
}

void close_route(DraftEntry& route, const std::string& protection, const Spot& spot, const std::string& what,
                 const std::string& why) {
  if (route.closed.empty()) route.closed = protection;
  say(route, Matter::closed, spot, what, why);
}

void close_listener(DraftEntry& listener, const Spot& spot, const std::string& what) {
  listener.off = true;
  say(listener, Matter::closed, spot, what,
      "it is not opened without TLS: write its certificate and key in \"tls\" of a listener");
}

bool is_protection(std::string_view key) { return is_one_of(kProtections, key); }

bool lets_all_in(const DraftEntry& route) {
  return route.closed.empty() && !route.get("to").empty() &&
         std::ranges::none_of(kProtections, [&](auto key) { return !route.get(key).empty(); });
}

void close_behind(Draft& draft, const DraftEntry& route, const std::string& protection, const std::string& why) {
  const auto host = std::string(plain(route.get("host")));
  const auto path = std::string(plain(route.get("path")));
  for (auto& other : draft.routes) {
    if (&other == &route || other.off || !other.closed.empty() || other.get("to").empty()) continue;
    if (!hosts_meet(host, plain(other.get("host"))) || !may_meet(path, plain(other.get("path")))) continue;
    if (is_before(other, route)) continue;
    close_route(other, protection, route.spot, route.from,
                why + "; it is not in the file, and its requests would reach this route");
  }
}

void answer_for_closed(Draft& draft) {
  for (auto& route : draft.routes) {
    if (route.off || route.closed.empty()) continue;
    DraftEntry before = route;
    before.fields.clear();
    for (const auto& [key, json] : route.fields)
      if (!is_one_of(kOfRequests, key) && (key != "respond" || !route.get("to").empty())) before.set(key, json);
    if (!before.fields.empty())
      route.comments.push_back("Without its protection, this route would have: " + on_one_line(before));
    std::erase_if(route.fields, [](const auto& field) { return !is_one_of(kOfRequests, field.key); });
    route.uses.clear();
    route.set("respond", object_of({{"status", "503"},
                                    {"body", json_text("headgate import did not translate " + route.closed + "\n")}}));
  }
}

}  // namespace headgate::translate
