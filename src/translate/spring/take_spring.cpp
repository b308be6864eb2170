// Translates Spring Cloud Gateway's routes, in YAML or properties.

#include "filters.hpp"
#include "translate/draft/json.hpp"
#include "translate/draft/protect.hpp"
#include "translate/draft/weights.hpp"
#include "translate/draft/write.hpp"
#include "translate/products.hpp"
#include "translate/unreadable.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <charconv>

namespace headgate::translate {
namespace {

/// Returns the upstream of a route by its URL.
std::string upstream_of(SpringWork& work, const TreeNode& node, DraftEntry& route) {
  auto uri = node.get("uri");
  const auto spot = node.has("uri") ? node["uri"].spot : node.spot;
  const auto scheme = uri.find("://");
  if (scheme == std::string::npos) {
    say(route, Matter::lost, spot, "uri: " + uri, "it is no http://, https:// or lb:// address");
    return {};
  }
  auto kind = uri.substr(0, scheme);
  auto authority = uri.substr(scheme + 3);
  authority = authority.substr(0, authority.find('/'));
  if (kind == "lb" || kind.starts_with("lb:")) {
    say(route, Matter::lost, spot, "uri: " + uri,
        "headgate uses no registry: it looks the name up in DNS, and port 8080 is a guess");
    authority = lower(authority) + ":8080";
    kind = "http";
  } else if (kind == "ws") {
    kind = "http";
  } else if (kind == "wss") {
    kind = "https";
  } else if (kind != "http" && kind != "https") {
    say(route, Matter::lost, spot, "uri: " + uri, "it is no http://, https:// or lb:// address");
    return {};
  }
  if (authority.find("${") != std::string::npos) {
    say(route, Matter::lost, spot, "uri: " + uri, "the value of this placeholder is not known");
    return {};
  }
  const auto url = kind + "://" + authority;
  if (const auto known = work.upstreams.find(url); known != work.upstreams.end()) return known->second;
  auto& upstream = work.draft.upstreams.emplace_back();
  upstream.name = free_name(authority.substr(0, authority.rfind(':')), work.draft.upstream_names);
  upstream.spot = spot;
  upstream.from = "uri: " + uri;
  upstream.set("servers", list_of({json_text(url)}));
  if (work.connect_timeout) upstream.set("connect_timeout", milliseconds(*work.connect_timeout));
  return work.upstreams[url] = upstream.name;
}

/// Returns the rank of a route: routes with a smaller "order" come first, and those with the same order in the order of
/// the file.
std::uint64_t precedence_of(const SpringWork& work, const TreeNode& node, DraftEntry& route) {
  constexpr std::int64_t kMiddle = std::int64_t{1} << 33U;
  constexpr std::int64_t kRoutes = 1 << 20U;
  std::int64_t order = 0;
  const auto written = node.get("order");
  std::from_chars(written.data(), written.data() + written.size(), order);
  if (node.has("order"))
    say(route, Matter::differs, node["order"].spot, "order: " + written, "headgate takes the most specific route");
  constexpr std::int64_t kLargest = std::int64_t{1} << 32U;
  order = std::clamp(order, -kLargest, kLargest);
  return static_cast<std::uint64_t>((kMiddle - order) * kRoutes - static_cast<std::int64_t>(work.draft.routes.size()));
}

/// Returns the keys that decide which requests a route matches.
std::vector<DraftEntry::Field> head_of(const SpringChoice& chosen, const std::string& host,
                                       const SpringChoice::Path& path) {
  std::vector<DraftEntry::Field> out;
  if (!host.empty()) out.push_back({"host", json_text(host)});
  out.push_back({"path", json_text(path.path)});
  if (!path.matches.empty()) out.push_back({"path_matches", json_text(path.matches)});
  if (!chosen.methods.empty()) out.push_back({"methods", texts_of(chosen.methods)});
  if (!chosen.headers.empty()) out.push_back({"headers", object_of(chosen.headers)});
  if (!chosen.query.empty()) out.push_back({"query", object_of(chosen.query)});
  if (!chosen.client_ip.empty()) out.push_back({"client_ip", text_or_list(chosen.client_ip)});
  return out;
}

/// Returns whether the route was joined to an earlier one of its group that differs only in the destination.
bool is_joined(SpringWork& work, const SpringChoice& chosen, const DraftEntry& route) {
  const auto to = std::string(route.get("to"));
  if (chosen.group.empty() || to.empty() || !route.closed.empty()) return false;
  auto others = route;
  others.set("name", {});
  others.set("to", {});
  const auto [known, is_new] =
      work.weighted.emplace(chosen.group + '\n' + on_one_line(others), work.draft.routes.size());
  auto& parts = work.weights[known->second];
  const auto same = std::ranges::find(parts, to, [](const auto& part) { return part.first; });
  if (same == parts.end())
    parts.emplace_back(to, chosen.weight);
  else
    same->second += chosen.weight;
  return !is_new;
}

void put_routes(SpringWork& work, const DraftEntry& route, SpringChoice chosen) {
  const bool one = chosen.hosts.size() <= 1 && chosen.paths.size() <= 1;
  if (chosen.hosts.empty()) chosen.hosts.emplace_back();
  if (chosen.paths.empty()) chosen.paths.push_back({"/*"});
  bool first = true;
  for (const auto& host : chosen.hosts)
    for (const auto& path : chosen.paths) {
      auto copy = route;
      if (!first) copy.remarks.clear();
      auto head = head_of(chosen, host, path);
      if (one && !route.name.empty()) head.insert(head.begin(), {"name", json_text(route.name)});
      copy.name.clear();
      copy.fields.insert(copy.fields.begin(), head.begin(), head.end());
      finish_filters(path.path, copy);
      if (!is_joined(work, chosen, copy)) put_route(work.draft, std::move(copy));
      first = false;
    }
}

/// Sets "to" of the routes with weights.
void set_weights(SpringWork& work) {
  constexpr std::uint64_t kMaxWeightOfSplit = 1'000'000;
  for (const auto& [index, parts] : work.weights) {
    std::vector<std::uint64_t> weights;
    for (const auto& [to, weight] : parts) weights.push_back(std::max<std::uint64_t>(weight, 1));
    const auto shares = proportions(weights, kMaxWeightOfSplit);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < parts.size(); ++i)
      out.push_back(object_of({{"upstream", parts[i].first}, {"weight", std::to_string(shares[i])}}));
    if (parts.size() > 1) work.draft.routes[index].set("to", list_of(out));
  }
}

/// Returns the profile that activates a document, or an empty text if it is always active.
std::string profile_of(const TreeNode& document) {
  const auto& on = spring_at(document, "spring.config.activate.on-profile");
  if (const auto texts = on.texts(); !texts.empty()) return joined(texts, ", ");
  if (const auto texts = spring_at(document, "spring.profiles").texts(); !texts.empty()) return joined(texts, ", ");
  const auto& file = document.spot.file;
  const auto name = file.substr(file.rfind('/') == std::string::npos ? 0 : file.rfind('/') + 1);
  constexpr std::string_view kBegin = "application-";
  return name.starts_with(kBegin) ? name.substr(kBegin.size(), name.rfind('.') - kBegin.size()) : std::string();
}

void take_route(SpringWork& work, const TreeNode& node, const std::vector<SpringStep>& defaults,
                const std::string& profile) {
  DraftEntry route;
  route.spot = node.spot;
  route.name = node.get("id");
  route.from = "route " + route.name;
  if (same_word(node.get("enabled"), "false"))
    return work.draft.say(Matter::aside, node.spot, route.from, "it is not enabled");
  SpringChoice chosen;
  for (const auto& step : steps_of(spring_member(node, "predicates"))) take_predicate(step, chosen, route);
  const auto upstream = upstream_of(work, node, route);
  if (upstream.empty())
    close_route(route, "its uri", node.spot, route.from, "its server is unknown");
  else
    route.set("to", json_text(upstream));
  route.precedence = precedence_of(work, node, route);
  route.set("host_header", json_text("server"));
  const auto time = number_in(spring_text(spring_member(node, "metadata"), "response-timeout"));
  if (time != kNoNumber && time > 0) route.set("timeout", milliseconds(time));
  auto filters = defaults;
  for (auto& own : steps_of(spring_member(node, "filters"))) filters.push_back(std::move(own));
  constexpr std::size_t kMaxFilters = 200;
  if (filters.size() > kMaxFilters)
    throw Unreadable(node.spot, "this route has more than " + std::to_string(kMaxFilters) + " filters");
  take_filters(work, filters, route);
  if (!work.require.empty()) route.set("require", work.require);
  if (!work.closed.empty())
    close_route(route, work.closed, work.closed_spot, work.closed,
                "headgate only supports this part of Spring Security: \"jwt\" with a \"jwk-set-uri\"");
  if (!profile.empty())
    close_route(route, "a profile", node.spot, "profile " + profile,
                "the route exists only with this profile: remove the routes of profiles that you do not use");
  put_routes(work, route, std::move(chosen));
}

const TreeNode& gateway_of(const TreeNode& document) {
  const auto& cloud = document["spring"]["cloud"]["gateway"];
  // Spring Cloud 2025 added a level to these keys.
  for (const auto* server : {"webflux", "webmvc"})
    if (const auto& inner = cloud["server"][server]) return inner;
  return cloud.has("mvc") && !cloud.has("routes") ? cloud["mvc"] : cloud;
}

void take_redis(Draft& draft, const TreeNode& document) {
  const auto& redis =
      document["spring"]["data"].has("redis") ? document["spring"]["data"]["redis"] : document["spring"]["redis"];
  if (!redis || !draft.redis.fields.empty()) return;
  draft.redis.spot = redis.spot;
  const auto url = redis.get("url");
  const auto host = redis.get("host", "localhost");
  if (url.find('@') != std::string::npos || host.find("${") != std::string::npos ||
      url.find("${") != std::string::npos) {
    say(draft.redis, Matter::lost, redis.spot, "redis", "write \"url\"; secrets and placeholders are not copied");
    return;
  }
  draft.redis.set("url", json_text(!url.empty() ? url : "redis://" + host + ':' + redis.get("port", "6379")));
  if (redis.has("password"))
    say(draft.redis, Matter::lost, redis["password"].spot, "password",
        "write \"password\": \"${REDIS_PASSWORD}\"; secrets are not copied");
}

void take_process(Draft& draft, const TreeNode& document) {
  const auto port = document["server"].get("port");
  if (!port.empty() && draft.listeners.empty()) {
    draft.listeners.emplace_back().spot = document["server"].spot;
    draft.listeners.back().from = "server.port: " + port;
    draft.listeners.back().set("address", json_text(":" + port));
  }
  if (document["server"].has("ssl"))
    draft.say(Matter::lost, document["server"]["ssl"].spot, "server.ssl",
              "write \"tls\" of a listener: a certificate and its key in PEM");
  take_redis(draft, document);
}

void take_gateway(SpringWork& work, const TreeNode& document) {
  auto& draft = work.draft;
  const auto& gateway = gateway_of(document);
  const auto& client = gateway["httpclient"];
  if (const auto time = number_in(spring_text(client, "connect-timeout")); time != kNoNumber && time > 0)
    work.connect_timeout = time;
  if (const auto time = spring_time(spring_text(client, "response-timeout")))
    draft.all_routes.set("timeout", milliseconds(*time));
  if (gateway["discovery"].has("locator"))
    draft.say(Matter::lost, gateway["discovery"].spot, "discovery.locator", "headgate uses no registry: write routes");
  if (gateway.has("globalcors"))
    draft.say(Matter::lost, gateway["globalcors"].spot, "globalcors", "write \"cors\" in \"all_routes\"");
  const auto defaults = steps_of(spring_member(gateway, "default-filters"));
  const auto profile = profile_of(document);
  for (const auto* route : gateway["routes"].each()) take_route(work, *route, defaults, profile);
  if (!gateway["routes"].each().empty()) return;
  DraftEntry none;
  take_filters(work, defaults, none);
}

}  // namespace

void take_spring(const std::vector<ReadFile>& inputs, Draft& draft) {
  std::size_t count = 0;
  std::vector<TreeNode> documents;
  for (const auto& input : inputs) {
    if (input.name.ends_with(".yml") || input.name.ends_with(".yaml")) {
      for (auto& document : read_yaml(input.text, input.name, count))
        documents.push_back(with_dots_as_maps(std::move(document)));
    } else {
      documents.push_back(read_properties(input.text, input.name, count));
    }
  }
  SpringWork work(draft);
  for (const auto& document : documents) take_process(draft, document);
  for (const auto& document : documents) {
    take_security(work, document);
    take_resilience4j(work, document);
  }
  for (const auto& document : documents) take_gateway(work, document);
  set_weights(work);
  for (const auto& document : documents) take_bucket4j(work, document);
}

}  // namespace headgate::translate
