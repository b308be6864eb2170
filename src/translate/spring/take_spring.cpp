// Spring Cloud Gateway: routes with predicates and filters, in YAML or properties.

#include "filters.hpp"
#include "translate/draft/json.hpp"
#include "translate/products.hpp"
#include "translate/unreadable.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

/// "/api/**" is "/api/*", "/users/{id}" is that. Empty: it cannot be said.
std::string path_of(std::string pattern) {
  if (pattern == "/**" || pattern == "**") return "/*";
  if (pattern.ends_with("/**"))
    pattern.erase(pattern.size() - 1);
  else if (pattern.ends_with("/{*path}"))
    pattern = pattern.substr(0, pattern.size() - 7) + "*";
  const auto star = pattern.find('*');
  if (star != std::string::npos && star + 1 != pattern.size()) return {};
  if (star != std::string::npos && !pattern.ends_with("/*")) return {};
  // "/x/*" of one segment takes all below here.
  const auto colon = pattern.find(':');
  if (colon != std::string::npos && pattern.find('{') != std::string::npos) return {};
  return pattern.starts_with('/') ? pattern : std::string();
}

struct Chosen {
  std::vector<std::string> paths;
  std::vector<std::string> hosts;
  std::vector<std::string> methods;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::pair<std::string, std::string>> query;
  bool understood = true;
};

void take_predicate(const SpringStep& step, Chosen& out, DraftEntry& route) {
  const auto lost = [&](const char* why) {
    say(route, Matter::lost, step.spot, step.text, why);
    out.understood = false;
  };
  if (step.name == "Path") {
    for (const auto& pattern : step.values) {
      if (is_true(pattern) || lower(pattern) == "false") continue;  // matchTrailingSlash
      const auto path = path_of(pattern);
      if (path.empty()) return lost("a path has whole segments, parameters as in \"/users/{id}\", and * at its end");
      if (pattern.ends_with("/*"))
        say(route, Matter::differs, step.spot, step.text, "in Spring * is one segment, here it is all below");
      out.paths.push_back(path);
    }
  } else if (step.name == "Host") {
    for (const auto& pattern : step.values) {
      const auto host = lower(pattern.starts_with("**.") ? pattern.substr(1) : pattern);
      if (host.find('{') != std::string::npos || host.find('*', 1) != std::string::npos)
        return lost("a host is a name, or \"*.\" and a name");
      out.hosts.push_back(host.substr(0, host.find(':')));
    }
  } else if (step.name == "Method") {
    out.methods = step.values;
  } else if (step.name == "Header" || step.name == "Query") {
    if (step.values.empty()) return lost("it names no field");
    auto value = step.values.size() > 1 ? step.values[1] : std::string();
    if (value == ".+" || value == ".*" || value.empty()) value.clear();
    if (value.find_first_of("\\[](){}*+?^$|.") != std::string::npos)
      return lost("headgate compares whole values, without regular expressions");
    (step.name == "Header" ? out.headers : out.query)
        .emplace_back(step.values.front(), value.empty() ? "true" : json_text(value));
  } else if (step.name == "Weight") {
    lost("write several upstreams in \"to\", with \"weight\"");
  } else {
    lost("headgate chooses routes by host, path, method, fields and parameters");
  }
}

/// Where a route leads: the URL of the servers.
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
        "headgate asks no registry: the name is looked up in DNS, at port 8080, which is a guess");
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

void put_routes(SpringWork& work, const DraftEntry& route, Chosen chosen) {
  const bool one = chosen.hosts.size() <= 1 && chosen.paths.size() <= 1;
  if (chosen.hosts.empty()) chosen.hosts.emplace_back();
  if (chosen.paths.empty()) chosen.paths.emplace_back("/*");
  bool first = true;
  for (const auto& host : chosen.hosts)
    for (const auto& path : chosen.paths) {
      auto copy = route;
      if (!first) copy.remarks.clear();
      std::vector<DraftEntry::Field> head;
      if (one && !route.name.empty()) head.push_back({"name", json_text(route.name)});
      if (!host.empty()) head.push_back({"host", json_text(host)});
      head.push_back({"path", json_text(path)});
      if (!chosen.methods.empty()) head.push_back({"methods", texts_of(chosen.methods)});
      if (!chosen.headers.empty()) head.push_back({"headers", object_of(chosen.headers)});
      if (!chosen.query.empty()) head.push_back({"query", object_of(chosen.query)});
      copy.name.clear();
      copy.fields.insert(copy.fields.begin(), head.begin(), head.end());
      finish_filters(path, copy);
      put_route(work.draft, std::move(copy));
      first = false;
    }
}

void take_route(SpringWork& work, const TreeNode& node, const std::vector<SpringStep>& defaults) {
  DraftEntry route;
  route.spot = node.spot;
  route.name = node.get("id");
  route.from = "route " + route.name;
  Chosen chosen;
  for (const auto& step : steps_of(node["predicates"])) take_predicate(step, chosen, route);
  if (!chosen.understood) route.off = true;
  const auto upstream = upstream_of(work, node, route);
  if (upstream.empty())
    route.set("respond", R"({ "status": 503 })");
  else
    route.set("to", json_text(upstream));
  if (node.has("order"))
    say(route, Matter::differs, node["order"].spot, "order: " + node.get("order"),
        "headgate takes the most specific route");
  route.set("host_header", json_text("server"));
  const auto time = number_in(node["metadata"].get("response-timeout"));
  if (time != kNoNumber && time > 0) route.set("timeout", milliseconds(time));
  auto filters = defaults;
  for (auto& own : steps_of(node["filters"])) filters.push_back(std::move(own));
  constexpr std::size_t kMaxFilters = 200;
  if (filters.size() > kMaxFilters)
    throw Unreadable(node.spot, "this route has more than " + std::to_string(kMaxFilters) + " filters");
  take_filters(work, filters, route);
  put_routes(work, route, std::move(chosen));
}

const TreeNode& gateway_of(const TreeNode& document) {
  const auto& cloud = document["spring"]["cloud"]["gateway"];
  // Since Spring Cloud 2025 there is one level more.
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
  SpringWork work{.draft = draft, .upstreams = {}, .limits = {}, .connect_timeout = {}};
  for (const auto& document : documents) {
    const auto port = document["server"].get("port");
    if (!port.empty() && draft.listeners.empty()) {
      draft.listeners.emplace_back().spot = document["server"].spot;
      draft.listeners.back().from = "server.port: " + port;
      draft.listeners.back().set("address", json_text(":" + port));
    }
    if (document["server"].has("ssl"))
      draft.say(Matter::lost, document["server"]["ssl"].spot, "server.ssl",
                "write \"tls\" of a listener: a certificate and its key in PEM");
    if (document["spring"].has("profiles") || document["spring"]["config"].has("activate"))
      draft.say(Matter::differs, document["spring"].spot, "profile",
                "all documents are taken, whatever their profiles");
    take_redis(draft, document);
  }
  for (const auto& document : documents) {
    const auto& gateway = gateway_of(document);
    const auto& client = gateway["httpclient"];
    if (const auto time = number_in(client.get("connect-timeout")); time != kNoNumber && time > 0)
      work.connect_timeout = time;
    if (const auto time = spring_time(client.get("response-timeout")))
      draft.all_routes.set("timeout", milliseconds(*time));
    if (gateway["discovery"].has("locator"))
      draft.say(Matter::lost, gateway["discovery"].spot, "discovery.locator",
                "headgate asks no registry: write routes");
    if (gateway.has("globalcors"))
      draft.say(Matter::lost, gateway["globalcors"].spot, "globalcors", "write \"cors\" in \"all_routes\"");
    const auto defaults = steps_of(gateway["default-filters"]);
    for (const auto* route : gateway["routes"].each()) take_route(work, *route, defaults);
    if (gateway["routes"].each().empty()) {
      DraftEntry none;
      take_filters(work, defaults, none);
    }
  }
}

}  // namespace headgate::translate
