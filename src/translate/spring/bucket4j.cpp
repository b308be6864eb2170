// Translates the filters of bucket4j-spring-boot-starter into limits by URL. SpEL conditions are code and cannot be
// translated, so the limits apply to everybody.

#include "translate/draft/json.hpp"
#include "translate/draft/path_regex.hpp"
#include "translate/reading/numbers.hpp"
#include "translate/spring/filters.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

/// Returns the text without blanks, because some expressions differ only in blanks.
std::string squeezed(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' && c != '\t' && c != '\n') out += c;
  return out;
}

/// Returns the name in "getHeader('X')" and similar calls. Returns an empty text for any other expression.
std::string field_in(std::string_view expression) {
  for (const std::string_view call :
       {"getHeader(", "getHeaders().getFirst(", "getHeaders().get(", "headers.getFirst("}) {
    if (!expression.starts_with(call) || !expression.ends_with(')')) continue;
    auto name = expression.substr(call.size(), expression.size() - call.size() - 1);
    if (name.size() < 3 || (name.front() != '\'' && name.front() != '"') || name.back() != name.front()) return {};
    name = name.substr(1, name.size() - 2);
    return name.find_first_of("'\"()") == std::string_view::npos ? std::string(name) : std::string();
  }
  return {};
}

/// Sets what a limit counts by.
void set_key(const TreeNode& node, DraftEntry& limit) {
  const auto written = spring_text(node, "cache-key", spring_text(node, "expression", "1"));
  auto key = squeezed(written);
  if (key.starts_with("request.")) key.erase(0, 8);
  const bool constant =
      key == "1" || key == "'1'" || (key.size() > 1 && key.front() == '\'' && key.find('\'', 1) == key.size() - 1);
  if (constant) return limit.set("per", json_text("total"));
  if (key == "getRemoteAddr()" || key == "remoteAddr" || key == "getRemoteHost()" || key == "getRemoteAddress()")
    return limit.set("per", json_text("client_ip"));
  if (const auto field = field_in(key); !field.empty()) {
    limit.set("per", json_text("header:" + field));
    return limit.set("if_absent", json_text("client_ip"));
  }
  limit.set("per", json_text("client_ip"));
  say(limit, Matter::lost, node.spot, "cache-key: " + written,
      "headgate does not know this code and counts by address: write the key in \"per\", such as \"jwt.sub\"");
}

/// Returns the period of a time and its unit, such as "second" or "5m".
std::string bandwidth_period(const TreeNode& bandwidth) {
  const auto time = whole_count(spring_text(bandwidth, "time", "1")).value_or(0);
  auto unit = lower(spring_text(bandwidth, "unit", "minutes"));
  if (unit.ends_with('s')) unit.pop_back();
  if (time == 0) return {};
  for (const auto* known : {"second", "minute", "hour", "day"})
    if (unit == known) return time == 1 ? unit : std::to_string(time) + unit.front();
  return {};
}

bool is_interval(const TreeNode& bandwidth) {
  return same_word(spring_text(bandwidth, "refill-speed", "greedy"), "interval") ||
         spring_member(bandwidth, "fixed-refill-interval");
}

/// Adds a limit for each bandwidth, because each has its own size.
void take_bandwidth(SpringWork& work, const TreeNode& node, const TreeNode& bandwidth, const std::string& name,
                    std::vector<std::string>& names) {
  const auto capacity = whole_count(spring_text(bandwidth, "capacity"));
  const auto refill = whole_count(spring_text(bandwidth, "refill-capacity", spring_text(bandwidth, "capacity")));
  const auto period = bandwidth_period(bandwidth);
  if (!capacity || *capacity == 0 || !refill || *refill == 0 || period.empty())
    return work.draft.say(Matter::lost, bandwidth.spot, "bandwidth", "none of its rates was understood");
  DraftEntry limit;
  limit.name = free_name(name, work.draft.limit_names);
  limit.spot = bandwidth.spot;
  limit.from = "bandwidth";
  limit.set("rate", rate_of(*refill, period));
  set_key(node, limit);
  if (is_interval(bandwidth)) {
    limit.set("algorithm", json_text("fixed_window"));
    limit.set("window", json_text("first_use"));
    if (*capacity != *refill)
      say(limit, Matter::differs, bandwidth.spot, "refill-speed: interval", "unused permits do not carry over");
  } else if (*capacity != *refill) {
    limit.set("burst", std::to_string(*capacity));
  }
  if (const auto first = spring_text(bandwidth, "initial-capacity");
      !first.empty() && first != std::to_string(*capacity))
    say(limit, Matter::differs, bandwidth.spot, "initial-capacity: " + first, "a bucket starts full");
  for (const auto* condition : {"execute-condition", "skip-condition", "execute-predicates", "skip-predicates"})
    if (const auto& written = spring_member(node, condition))
      say(limit, Matter::lost, written.spot, condition + (": " + written.text),
          "headgate does not know this code: the limit applies to everybody");
  if (const auto& after = spring_member(node, "post-execute-condition"))
    say(limit, Matter::lost, after.spot, "post-execute-condition: " + after.text,
        "every request counts: write \"count\" with the statuses that should count");
  names.push_back(limit.name);
  put_limit(work.draft, std::move(limit));
}

struct Bucket4jFilter {
  const TreeNode& node;
  std::vector<std::string> limits;
  std::uint64_t cost = 1;
};

void use_limits(const Bucket4jFilter& filter, DraftEntry& entry) {
  for (const auto& name : filter.limits) {
    if (filter.cost == 1)
      entry.use(name);
    else
      entry.uses.push_back(object_of({{"use", json_text(name)}, {"cost", std::to_string(filter.cost)}}));
  }
}

bool is_for_all_urls(const std::string& url) {
  return url.empty() || url == ".*" || url == "/.*" || url == "^.*$" || url == "^/.*$" || url == "/*" ||
         url == "^(/.*)$";
}

/// Returns the upstream of the application itself, for a file without routes.
std::string application(SpringWork& work) {
  if (!work.draft.upstreams.empty()) return work.draft.upstreams.front().name;
  auto& upstream = work.draft.upstreams.emplace_back();
  upstream.name = free_name("app", work.draft.upstream_names);
  upstream.comments.emplace_back("The application that this file belongs to: write its address.");
  upstream.set("servers", R"(["http://127.0.0.1:8080"])");
  return upstream.name;
}

/// Uses the limits at the filter's URL. `gateway` says whether Spring Cloud Gateway has routes.
void use_at_url(SpringWork& work, const Bucket4jFilter& filter, bool gateway) {
  const auto url = spring_text(filter.node, "url");
  if (is_for_all_urls(url)) return use_limits(filter, work.draft.all_routes);
  // Bucket4j's expression must match the whole path.
  const auto regex = regex_path(url.find('|') == std::string::npos ? url + '$' : "(?:" + url + ")$", Begins::at_start);
  if (regex.matches.empty() || gateway) {
    work.draft.say(Matter::differs, filter.node.spot, "url: " + url,
                   "the limit applies to every route: name it in the routes for this URL, not in \"all_routes\"");
    return use_limits(filter, work.draft.all_routes);
  }
  DraftEntry route;
  route.spot = filter.node.spot;
  route.from = "url: " + url;
  route.comments.push_back(route.from);
  route.set("path", json_text(regex.path));
  route.set("path_matches", json_text(regex.matches));
  route.set("to", json_text(application(work)));
  use_limits(filter, route);
  put_route(work.draft, std::move(route));
}

void say_of_answers(SpringWork& work, const TreeNode& node) {
  const auto status = spring_text(node, "http-status-code", "TOO_MANY_REQUESTS");
  if (status != "429" && status != "TOO_MANY_REQUESTS")
    work.draft.say(Matter::differs, node.spot, "http-status-code: " + status, "headgate rejects with 429");
  for (const auto* key : {"http-response-body", "http-content-type", "http-response-headers"})
    if (spring_member(node, key)) work.draft.say(Matter::lost, node.spot, key, "write \"body\" in \"rejection\"");
  if (same_word(spring_text(node, "strategy", "first"), "first") && spring_member(node, "rate-limits").items.size() > 1)
    work.draft.say(Matter::differs, node.spot, "strategy: first", "all of these limits apply");
}

}  // namespace

void take_bucket4j(SpringWork& work, const TreeNode& document) {
  const auto& bucket4j = spring_member(document, "bucket4j");
  if (!bucket4j) return;
  if (same_word(spring_text(bucket4j, "enabled"), "false"))
    return work.draft.say(Matter::aside, bucket4j.spot, "bucket4j", "it is not enabled");
  std::vector<Bucket4jFilter> filters;
  for (const auto* node : spring_member(bucket4j, "filters").each()) {
    Bucket4jFilter filter{*node, {}};
    const auto name = spring_text(*node, "id", spring_text(*node, "cache-name", "bucket4j"));
    for (const auto* rates : spring_member(*node, "rate-limits").each()) {
      filter.cost = whole_count(spring_text(*rates, "num-tokens", spring_text(*rates, "cost", "1"))).value_or(1);
      for (const auto* bandwidth : spring_member(*rates, "bandwidths").each())
        take_bandwidth(work, *rates, *bandwidth, name, filter.limits);
    }
    say_of_answers(work, *node);
    filters.push_back(std::move(filter));
  }
  const bool gateway = !work.draft.routes.empty();
  for (const auto& filter : filters) use_at_url(work, filter, gateway);
  if (gateway) return;
  DraftEntry rest;
  rest.spot = bucket4j.spot;
  rest.from = "all other URLs";
  rest.set("path", json_text("/*"));
  rest.set("to", json_text(application(work)));
  put_route(work.draft, std::move(rest));
}

}  // namespace headgate::translate
