#include "filters.hpp"

#include "known.hpp"
#include "translate/draft/json.hpp"
#include "translate/draft/protect.hpp"
#include "translate/reading/numbers.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/edit_options.hpp"
#include "headgate/http/fields.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

// Temporary keys of a route, which finish_filters() removes.
constexpr const char* kStrip = "strip_segments";
constexpr const char* kPrefixed = "prefix_path";

/// The changes that the filters of a route make to request fields or response fields. headgate removes fields first,
/// then sets, and then adds them. So a later filter must cancel the earlier changes of the same field.
struct FieldChanges {
  using Members = std::vector<std::pair<std::string, std::string>>;

  const char* key;  ///< key of the route
  gateway::Towards towards;
  Members set{};                      ///< JSON values by name
  Members add{};                      ///< JSON values by name
  std::vector<std::string> remove{};  ///< field names

  std::string json() const {
    Members out;
    if (!set.empty()) out.emplace_back("set", object_of(set));
    if (!add.empty()) out.emplace_back("add", object_of(add));
    if (!remove.empty()) {
      std::vector<std::string> names;
      for (const auto& each : remove) names.push_back(json_text(each));
      out.emplace_back("remove", list_of(names));
    }
    return object_of(out);
  }
};

/// The filters of one route.
struct SpringRoute {
  DraftEntry& route;
  FieldChanges request{.key = "request_headers", .towards = gateway::Towards::server};
  FieldChanges response{.key = "response_headers", .towards = gateway::Towards::client};
};

/// Returns whether the filter has enough values and may change its field. Otherwise adds a remark.
bool changes_field(const SpringStep& filter, std::size_t values, const FieldChanges& changes, DraftEntry& route) {
  const auto lost = [&](std::string_view why) {
    say(route, Matter::lost, filter.spot, filter.text, std::string(why));
    return false;
  };
  if (filter.values.empty() || !http::is_token(filter.values[0])) return lost("it names no field");
  if (filter.values.size() < values) return lost("it has no value");
  const auto why = gateway::why_fixed(filter.values[0], changes.towards);
  return why.empty() || lost(why);
}

void take_back(FieldChanges::Members& members, std::string_view name) {
  std::erase_if(members, [&](const auto& each) { return http::same_variable(each.first, name); });
}

void set_field(const SpringStep& filter, FieldChanges& changes, DraftEntry& route) {
  if (!changes_field(filter, 2, changes, route)) return;
  const auto& name = filter.values[0];
  take_back(changes.set, name);
  take_back(changes.add, name);
  changes.set.emplace_back(name, json_text(filter.values[1]));
  route.set(changes.key, changes.json());
}

void add_field(const SpringStep& filter, FieldChanges& changes, DraftEntry& route) {
  if (!changes_field(filter, 2, changes, route)) return;
  const auto& name = filter.values[0];
  if (std::ranges::any_of(changes.add, [&](const auto& each) { return http::same_variable(each.first, name); }))
    return say(route, Matter::lost, filter.spot, filter.text, "\"add\" has one value of a field");
  changes.add.emplace_back(name, json_text(filter.values[1]));
  route.set(changes.key, changes.json());
}

void remove_field(const SpringStep& filter, FieldChanges& changes, DraftEntry& route) {
  constexpr std::size_t kMax = 64;
  if (!changes_field(filter, 1, changes, route)) return;
  const auto& name = filter.values[0];
  take_back(changes.set, name);
  take_back(changes.add, name);
  const auto is_same = [&](const std::string& each) { return same_word(each, name); };
  if (std::ranges::none_of(changes.remove, is_same)) {
    if (changes.remove.size() == kMax)
      return say(route, Matter::lost, filter.spot, filter.text, "\"remove\" has 64 fields at most");
    changes.remove.push_back(name);
  }
  route.set(changes.key, changes.json());
}

/// Translates the usual form, "RewritePath=/red/?(?<segment>.*), /$\{segment}".
bool rewrite_path(const SpringStep& filter, DraftEntry& route) {
  if (filter.values.size() != 2) return false;
  auto from = filter.values[0];
  auto to = filter.values[1];
  const auto group = from.find("(?<");
  if (group == std::string::npos || !from.ends_with(".*)")) return false;
  const auto dollar = to.find('$');
  if (dollar == std::string::npos || !to.ends_with('}')) return false;
  from.erase(group);
  to.erase(dollar);
  if (from.ends_with("/?")) from.erase(from.size() - 2);
  while (from.ends_with('/')) from.pop_back();
  while (to.ends_with('/')) to.pop_back();
  if (from.find_first_of("()[]^$*|?+\\") != std::string::npos) return false;
  std::vector<std::pair<std::string, std::string>> members;
  if (!from.empty()) members.emplace_back("strip_prefix", json_text(from));
  if (!to.empty()) members.emplace_back("add_prefix", json_text(to));
  if (!members.empty()) route.set("rewrite", object_of(members));
  return true;
}

void retry_of(SpringWork& work, const SpringStep& filter, DraftEntry& route) {
  const auto found = filter.arguments.find("retries");
  const auto tries = whole_count(found != filter.arguments.end() ? found->second
                                 : filter.values.empty()         ? "3"
                                                                 : filter.values.front());
  auto* const upstream = upstream_in(work.draft, route.get("to"));
  if (!tries || upstream == nullptr) return;
  upstream->set("retry", object_of({{"attempts", std::to_string(std::min<std::uint64_t>(*tries + 1, 10))},
                                    {"on", R"(["connect_error", "closed", 502, 503, 504])"}}));
}

void take_filter(SpringWork& work, const SpringStep& filter, SpringRoute& of) {
  auto& route = of.route;
  const auto& name = filter.name;
  const auto* const known = find_word(spring_filters(), name);
  if (known == nullptr)
    return close_route(route, "a filter", filter.spot, filter.text,
                       "headgate import does not know this filter, which may refuse requests");
  const auto value = filter.values.empty() ? std::string() : filter.values.front();
  if (name == "RequestRateLimiter") return limit_requests(work, filter, route);
  if (name == "StripPrefix") return route.set(kStrip, value.empty() ? "1" : value);
  if (name == "PrefixPath") return route.set(kPrefixed, json_text(value));
  if (name == "AddRequestHeader") return add_field(filter, of.request, route);
  if (name == "SetRequestHeader") return set_field(filter, of.request, route);
  if (name == "RemoveRequestHeader") return remove_field(filter, of.request, route);
  if (name == "AddResponseHeader") return add_field(filter, of.response, route);
  if (name == "SetResponseHeader") return set_field(filter, of.response, route);
  if (name == "RemoveResponseHeader") return remove_field(filter, of.response, route);
  if (name == "PreserveHostHeader") return route.set("host_header", {});
  if (name == "SetPath") return route.set("rewrite", object_of({{"path", json_text(value)}}));
  if (name == "Retry") return retry_of(work, filter, route);
  if (name == "CircuitBreaker") return break_circuit(work, filter, route);
  if (name == "RewritePath" && rewrite_path(filter, route)) return;
  if (name == "SetRequestHostHeader" && !value.empty()) return route.set("host_header", json_text(value));
  if (name == "RedirectTo" && filter.values.size() > 1) {
    route.set("to", {});
    return route.set("redirect", object_of({{"status", filter.values[0]}, {"to", json_text(filter.values[1])}}));
  }
  if (name == "RequestSize") {
    auto size = value;
    if (size.ends_with("MB") || size.ends_with("KB")) size.insert(size.size() - 1, "i");
    return route.set("max_body", json_text(size));
  }
  if (known->matter == Matter::lost) return say(route, Matter::lost, filter.spot, filter.text, std::string(known->why));
  if (!known->why.empty()) return close_route(route, name, filter.spot, filter.text, std::string(known->why));
  close_route(route, "a filter", filter.spot, filter.text,
              "headgate import does not know this filter, which may refuse requests");
}

}  // namespace

void take_filters(SpringWork& work, const std::vector<SpringStep>& filters, DraftEntry& route) {
  SpringRoute of{.route = route};
  for (const auto& filter : filters) take_filter(work, filter, of);
}

void finish_filters(const std::string& path, DraftEntry& route) {
  const auto strip = whole_count(route.get(kStrip));
  const bool strips = !route.get(kStrip).empty();
  const std::string prefix(route.get(kPrefixed));
  route.set(kStrip, {});
  route.set(kPrefixed, {});
  std::vector<std::pair<std::string, std::string>> members;
  if (strips && strip && *strip > 0) {
    std::size_t end = 0;
    for (std::uint64_t i = 0; i < *strip && end != std::string::npos; ++i) end = path.find('/', end + 1);
    const auto begin = path.substr(0, end);
    if (end == std::string::npos || begin.find_first_of("{*") != std::string::npos)
      close_route(route, "StripPrefix", route.spot, "StripPrefix=" + std::to_string(*strip),
                  "the path of this route begins with fewer fixed segments: write \"rewrite\"");
    else
      members.emplace_back("strip_prefix", json_text(begin));
  }
  if (!prefix.empty()) members.emplace_back("add_prefix", prefix);
  if (!members.empty()) route.set("rewrite", object_of(members));
}

}  // namespace headgate::translate
