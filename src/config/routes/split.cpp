// The targets of a route's requests.

#include "config/build.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/core/text.hpp"
#include "headgate/gateway/key_source.hpp"

#include <algorithm>
#include <numeric>

namespace headgate::config {
namespace {

constexpr Shape kSplitUpstream = text("an upstream's name");
constexpr Shape kSplitWeight = integer(0, 1'000'000);
constexpr Shape kWhenValue = text("a field value", check_field_value);
constexpr Shape kWhenHeaders = map("an object of values by field name", kWhenValue, 1, check_field_name);
constexpr Shape kWhenCookies = map("an object of values by cookie", kWhenValue, 1, check_cookie_name);
constexpr Key kSplitWhenKeys[] = {
    {"header", &kWhenHeaders, "", R"({ "X-Canary": "1" })", "Field that must have this value"},
    {"cookie", &kWhenCookies, "", R"({ "canary": "1" })", "Cookie that must have this value"},
};
constexpr Section kSplitWhenSection{
    "split_when", "routes[].to[].when",
    "Requests that match get this upstream regardless of weights. Any caller can send such a request.", kSplitWhenKeys};
constexpr Shape kSplitWhenShape = section(kSplitWhenSection);
constexpr Key kSplitShareKeys[] = {
    {"upstream", &kSplitUpstream, "", R"("api-next")", "Name of the upstream", into<&gateway::SplitShare::upstream>,
     required},
    {"weight", &kSplitWeight, "", "5",
     "Weight relative to the sum of all weights. Default: 1, or 0 with `when`. With 0, only matching requests go there",
     into<&gateway::SplitShare::weight>},
    {"when", &kSplitWhenShape, "", R"({ "header": { "X-Canary": "1" } })",
     "Condition for requests that always go there"},
};
constexpr Section kSplitShareSection{"share", "routes[].to[]", "One of several upstreams of a route.", kSplitShareKeys};
constexpr Shape kSplitShareShape = section(kSplitShareSection);
constexpr Shape kSplitShares = list("a list of upstreams", kSplitShareShape, 1, 16);
constexpr const Shape* kToForms[] = {&kSplitUpstream, &kSplitShares};
constexpr Shape kSplitPer{.form = Shape::Form::text, .what = "a key", .check = check_per, .registered = per_words};
constexpr Shape kSplitPers = list("a list of keys", kSplitPer, 1, 8);
constexpr const Shape* kSplitByForms[] = {&kSplitPer, &kSplitPers};

}  // namespace

constexpr Shape kToShape = either("an upstream's name or a list of upstreams", kToForms);
constexpr Shape kSplitByShape{
    .form = Shape::Form::either, .what = "a key, or a list of them", .registered = per_words, .forms = kSplitByForms};

namespace {

using gateway::SplitShare;
using gateway::SplitWhen;

void add_whens(const Node* when, std::string_view key, SplitWhen::In in, SplitShare& out) {
  for (const Node* each : children(find(when, key), Kind::object))
    out.when.push_back(
        {.in = in, .name = in == SplitWhen::In::header ? lower(each->key) : each->key, .value = each->text});
}

SplitShare share_of(const Node& node) {
  SplitShare out;
  const Node* when = find(&node, "when");
  add_whens(when, "header", SplitWhen::In::header, out);
  add_whens(when, "cookie", SplitWhen::In::cookie, out);
  if (when != nullptr) out.weight = 0;
  fill(&node, kSplitShareSection, out);
  out.seed = stable_hash(out.upstream);
  return out;
}

}  // namespace

void build_target(Build& build, const Node& route, gateway::RouteOptions& out) {
  const Node* to = find(&route, "to");
  if (to == nullptr || to->kind != Kind::list) return;
  gateway::Split split;
  for (const Node* each : children(to, Kind::list))
    if (each->kind == Kind::object) split.shares.push_back(share_of(*each));
  if (split.shares.empty()) return;  // reported already
  split.by = build_key(build, find(&route, "split_by"));
  out.to = split.shares.front().upstream;
  out.split = std::make_shared<const gateway::Split>(std::move(split));
}

void check_split(Build& build, const gateway::RouteOptions& route, const Node& node) {
  const Node* by = find(&node, "split_by");
  if (!route.split) {
    if (by != nullptr)
      build.report.warning_at_key(
          code::kNoEffect, *by, "\"split_by\" has no effect: all requests go to one upstream",
          R"(write a list: "to": [ { "upstream": "a", "weight": 95 }, { "upstream": "b", "weight": 5 } ])");
    return;
  }
  const auto& split = *route.split;
  const auto& nodes = find(&node, "to")->children;
  const auto sum = std::accumulate(split.shares.begin(), split.shares.end(), std::uint64_t{0},
                                   [](std::uint64_t all, const auto& share) { return all + share.weight; });
  if (sum == 0) {
    build.report.error(code::kConflict, *find(&node, "to"),
                       "no upstream here has a weight, so most requests go nowhere",
                       R"(add "weight": 95 to the one that most requests go to)");
  }
  for (std::size_t i = 0; i < split.shares.size() && split.shares.size() == nodes.size(); ++i) {
    const auto& share = split.shares[i];
    const auto same = [&](const SplitShare& other) { return other.upstream == share.upstream; };
    const auto before = split.shares.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::any_of(split.shares.begin(), before, same)) {
      build.report.error(code::kDuplicate, *nodes[i], in_quotes(share.upstream) + " appears twice in this list",
                         "add up their weights in one of the two");
    } else if (share.weight == 0 && share.when.empty()) {
      build.report.warning(code::kNoEffect, *nodes[i],
                           "no request goes to " + in_quotes(share.upstream) + " here: its weight is 0",
                           R"(give it a weight, or add "when": { "header": { "X-Canary": "1" } })");
    }
  }
  const auto tells_apart = [](const limit::Per& part) { return part.source->counts == gateway::Counts::callers; };
  if (by != nullptr && !split.by.empty() && std::none_of(split.by.begin(), split.by.end(), tells_apart)) {
    build.report.error(code::kConflict, *by, "this is the same for all callers, so all would go to one upstream",
                       R"(split by caller, as in "split_by": "client_ip")");
  }
}

std::vector<const gateway::UpstreamOptions*> upstreams_of(const Build& build, const gateway::RouteOptions& route) {
  std::vector<const gateway::UpstreamOptions*> out;
  const auto add = [&](const std::string& name) {
    if (const auto found = build.upstream_numbers.find(name); found != build.upstream_numbers.end())
      out.push_back(&build.config.upstreams[found->second]);
  };
  if (route.respond) return out;
  if (!route.split) add(route.to);
  if (route.split)
    for (const auto& share : route.split->shares) add(share.upstream);
  return out;
}

bool goes_to(const gateway::RouteOptions& route, std::string_view upstream) {
  if (!route.split) return route.to == upstream;
  return std::any_of(route.split->shares.begin(), route.split->shares.end(),
                     [&](const SplitShare& share) { return share.upstream == upstream; });
}

}  // namespace headgate::config
