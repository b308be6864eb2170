#include "precedence.hpp"

#include "json.hpp"
#include "protect.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

namespace headgate::translate {
namespace {

constexpr std::array<std::string_view, 5> kConditionsOfRoutes{"headers", "query", "client_ip", "path_matches",
                                                              "methods"};

bool keeps_out(const DraftEntry& route) { return !route.off && !lets_all_in(route); }

bool leads_on(const DraftEntry& route) { return !route.off && route.closed.empty() && !route.get("to").empty(); }

bool takes_all(const DraftEntry& route) {
  return std::ranges::none_of(kConditionsOfRoutes, [&](auto key) { return !route.get(key).empty(); });
}

/// Returns whether `outer` covers all paths of `inner`; both are JSON.
bool is_below(std::string_view inner, std::string_view outer) {
  if (inner == outer) return true;
  return outer.ends_with("/*\"") && inner.starts_with(outer.substr(0, outer.size() - 2));
}

/// Returns a copy of `route` for the requests that both routes match.
DraftEntry within(const DraftEntry& route, const DraftEntry& other, const std::string& comment) {
  auto out = route;
  out.name.clear();
  out.set("name", {});
  out.remarks.clear();
  out.comments = {comment};
  if (!other.get("host").empty()) out.set("host", std::string(other.get("host")));
  if (!is_below(route.get("path"), other.get("path"))) out.set("path", std::string(other.get("path")));
  for (const auto key : kConditionsOfRoutes)
    if (out.get(key).empty() && !other.get(key).empty()) out.set(key, std::string(other.get(key)));
  return out;
}

/// Replaces the second route by a copy of the first one, if the first one covers all of its requests.
void replace(DraftEntry& second, const DraftEntry& first) {
  second.off = true;
  say(second, Matter::differs, second.spot, second.from, first.from + " comes first and matches all of its requests");
}

/// Returns whether the second route refuses every request that the first one refuses.
bool keeps_out_as_well(const DraftEntry& second, const DraftEntry& first) {
  return leads_on(first) && std::ranges::all_of(first.fields, [&](const auto& field) {
           return !is_protection(field.key) || second.get(field.key) == field.json;
         });
}

std::vector<std::size_t> those(const Draft& draft, bool (*wanted)(const DraftEntry&)) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < draft.routes.size(); ++i)
    if (wanted(draft.routes[i])) out.push_back(i);
  return out;
}

/// Keeps the product's order between routes. If a route that keeps callers out comes first in the product but not in
/// headgate, closes the other route or adds a copy of the first one.
void keep_order(Draft& draft) {
  std::set<std::string> there;
  for (const auto& each : draft.routes)
    if (!each.off) there.insert(requests_of(each));
  const auto guards = those(draft, keeps_out);
  const auto others = those(draft, leads_on);
  for (const auto i : guards)
    for (const auto j : others) {
      const auto& first = draft.routes[i];
      auto& second = draft.routes[j];
      if (first.precedence <= second.precedence || !leads_on(second) || keeps_out_as_well(second, first)) continue;
      if (!may_meet(first, second) || is_before(first, second)) continue;
      const bool all = takes_all(first) && is_below(second.get("path"), first.get("path"));
      if (!first.closed.empty() && takes_all(first) && (all || !is_before(second, first))) {
        close_route(second, first.closed, first.spot, first.from,
                    "it comes first and may match requests that this route would get");
      } else if (requests_of(first) == requests_of(second)) {
        replace(second, first);
      } else if (is_before(second, first)) {
        auto both = within(first, second, first.from + ", which comes before " + second.from);
        if (all) replace(second, first);
        if (all || there.insert(requests_of(both)).second) put_route(draft, std::move(both));
      }
    }
}

std::string quoted_for_re2(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// A prefix "/api" of another product also matches "/apix". If another route would let everybody in at such a path,
/// adds a route for it with the settings of "/api".
void keep_half_segments(Draft& draft) {
  const auto guards = those(draft, [](const DraftEntry& each) { return !each.text_prefix.empty() && keeps_out(each); });
  const auto open = those(draft, [](const DraftEntry& each) { return !each.off && lets_all_in(each); });
  std::set<std::string> seen;
  for (const auto i : guards)
    for (const auto j : open) {
      const auto& first = draft.routes[i];
      const auto& second = draft.routes[j];
      const auto path = second.get("path");
      const bool behind = path.ends_with("*\"") && first.text_prefix.starts_with(path.substr(1, path.size() - 3));
      if (!behind || !may_meet(first, second)) continue;
      auto half = within(first, second, first.from + ", for paths that only begin with the same characters");
      // The path of the other route; the expression below selects the paths that continue the prefix.
      half.set("path", std::string(path));
      half.set("path_matches", json_text(quoted_for_re2(first.text_prefix) + "[^/].*"));
      if (!seen.insert(requests_of(half)).second) continue;
      // headgate cannot strip a prefix that ends within a segment.
      if (!half.get("rewrite").empty() && half.closed.empty())
        close_route(half, "a part of a segment", first.spot, first.text_prefix,
                    "headgate only strips whole segments: write \"rewrite\" in this route");
      put_route(draft, std::move(half));
    }
}

}  // namespace

void keep_precedence(Draft& draft) {
  keep_half_segments(draft);
  keep_order(draft);
}

}  // namespace headgate::translate
