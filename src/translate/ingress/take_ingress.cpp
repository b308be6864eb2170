// Translates Kubernetes Ingress objects with the annotations of ingress-nginx.

#include "translate/draft/addresses.hpp"
#include "translate/draft/auth.hpp"
#include "translate/draft/json.hpp"
#include "translate/draft/path_regex.hpp"
#include "translate/draft/protect.hpp"
#include "translate/ingress/work.hpp"
#include "translate/products.hpp"
#include "translate/reading/numbers.hpp"
#include "translate/reading/tree.hpp"

#include "headgate/core/text.hpp"

#include <map>
#include <set>

namespace headgate::translate {
namespace {

constexpr std::string_view kPrefix = "nginx.ingress.kubernetes.io/";

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    if (const auto each = trimmed(part); !each.empty()) out.emplace_back(each);
  }
  return out;
}

void say_once(IngressWork& work, DraftEntry& entry, Matter matter, const Spot& spot, const std::string& what,
              const std::string& why) {
  if (work.said.insert(why).second) say(entry, matter, spot, what, why);
}

/// Adds the limits of an Ingress. All of its paths share them.
void add_limits(IngressWork& work, const IngressObject& object, std::vector<std::string>& names) {
  const auto exempt = split(object.get("limit-whitelist", object.get("limit-allowlist")));
  const auto multiplier = whole_count(object.get("limit-burst-multiplier", "5")).value_or(5);
  const auto add = [&](const char* annotation, const char* end) -> DraftEntry* {
    const auto number = whole_count(object.get(annotation));
    if (!object.annotations.contains(annotation)) return nullptr;
    if (!number) {
      work.draft.say(Matter::lost, object.spot(annotation), std::string(annotation) + ": " + object.get(annotation),
                     "this is not a whole number");
      return nullptr;
    }
    if (*number == 0) return nullptr;  // 0 means no limit
    auto& limit = work.draft.limits.emplace_back();
    limit.name = free_name(object.name + end, work.draft.limit_names);
    limit.spot = object.spot(annotation);
    limit.from = annotation;
    limit.comments.push_back(std::string(annotation) + ": " + object.get(annotation) + ", of the Ingress " +
                             object.name + ", shared by its paths");
    names.push_back(limit.name);
    return &limit;
  };
  const auto finish = [&](DraftEntry& limit) {
    limit.set("per", json_text("client_ip"));
    if (!exempt.empty()) limit.set("exempt", object_of({{"client_ip", texts_of(exempt)}}));
    say_once(work, limit, Matter::differs, limit.spot, limit.from,
             "each pod of the controller counts separately, so n pods let n times as many requests through; gateways "
             "count together with \"redis\"");
    say_once(work, limit, Matter::differs, limit.spot, "limit-req-status-code",
             "headgate rejects with 429; ingress-nginx uses 503 unless its ConfigMap sets another status");
  };
  for (const auto& [annotation, unit, end] :
       {std::tuple("limit-rps", "second", "-rps"), std::tuple("limit-rpm", "minute", "-rpm")}) {
    auto* const limit = add(annotation, end);
    if (limit == nullptr) continue;
    const auto count = *whole_count(object.get(annotation));
    limit->set("rate", rate_of(count, unit));
    limit->set("burst", std::to_string(count * multiplier + 1));
    limit->comments.push_back("burst=" + std::to_string(count * multiplier) +
                              " nodelay in nginx: one request plus this many at once");
    finish(*limit);
  }
  if (auto* const limit = add("limit-connections", "-connections")) {
    limit->set("in_flight", object.get("limit-connections"));
    finish(*limit);
  }
}

/// Returns the upstream of a service and its port.
std::string upstream_for(IngressWork& work, const IngressObject& object, const TreeNode& backend, DraftEntry& route) {
  const auto& service = backend["service"];
  const auto name = service.get("name", backend.get("serviceName"));
  auto port = service["port"].get("number", backend.get("servicePort", "80"));
  if (const auto named = service["port"].get("name", whole_count(port) ? std::string() : port); !named.empty()) {
    const auto known = work.ports.find(object.space + '/' + name + '/' + named);
    port = known != work.ports.end() ? known->second : "80";
    if (known == work.ports.end())
      say(route, Matter::lost, backend.spot, "port " + named,
          "none of the Services in the files has this port: 80 is a guess");
  }
  if (name.empty()) {
    say(route, Matter::lost, backend.spot, "backend", "this is not a Service");
    return {};
  }
  const auto protocol = lower(object.get("backend-protocol", "http"));
  const bool tls = protocol == "https" || protocol == "grpcs";
  const bool http2 = protocol == "grpc" || protocol == "grpcs";
  if (!tls && !http2 && protocol != "http")
    say(route, Matter::lost, object.spot("backend-protocol"), "backend-protocol: " + protocol,
        "headgate speaks HTTP to servers, and not " + protocol);
  const auto url = (tls ? "https://" : "http://") + name + '.' + object.space + ".svc:" + port;
  const auto spoken = url + (http2 ? " http2" : "");
  const auto known = work.upstreams.find(spoken);
  if (known != work.upstreams.end()) return known->second;
  auto& upstream = work.draft.upstreams.emplace_back();
  upstream.name = free_name(name, work.draft.upstream_names);
  upstream.spot = backend.spot;
  upstream.from = "service " + name;
  upstream.set("servers", list_of({json_text(url)}));
  if (tls) upstream.set("tls", R"({ "verify": false })");
  if (http2) upstream.set("protocol", json_text("http2"));
  if (const auto time = whole_count(object.get("proxy-connect-timeout")); time && *time > 0)
    upstream.set("connect_timeout", milliseconds(*time * 1000));
  return work.upstreams[spoken] = upstream.name;
}

std::string size_of(std::string_view text) {
  if (text == "0") return "8192TiB";
  std::string number(text.substr(0, text.find_first_not_of("0123456789")));
  const auto unit = lower(text.substr(number.size()));
  if (number.empty()) return {};
  return unit == "k"    ? number + "KiB"
         : unit == "m"  ? number + "MiB"
         : unit == "g"  ? number + "GiB"
         : unit.empty() ? number
                        : std::string();
}

void set_cors(const IngressObject& object, DraftEntry& route) {
  if (!is_true(object.get("enable-cors"))) return;
  std::vector<std::pair<std::string, std::string>> members{
      {"origins", text_or_list(split(object.get("cors-allow-origin", "*")))}};
  if (const auto methods = split(object.get("cors-allow-methods")); !methods.empty())
    members.emplace_back("methods", texts_of(methods));
  if (const auto headers = split(object.get("cors-allow-headers")); !headers.empty())
    members.emplace_back("headers", texts_of(headers));
  if (is_true(object.get("cors-allow-credentials", "true")) && object.get("cors-allow-origin", "*") != "*")
    members.emplace_back("credentials", "true");
  route.set("cors", object_of(members));
}

/// Applies the annotations to a route.
void set_annotations(const IngressObject& object, DraftEntry& route) {
  for (const auto& each : object.closing) close_route(route, each.what, each.spot, each.what, each.why);
  if (const auto size = size_of(object.get("proxy-body-size")); !size.empty()) route.set("max_body", json_text(size));
  const auto read = whole_count(object.get("proxy-read-timeout", "60"));
  if (read && *read > 0) {
    route.set("timeout", milliseconds(*read * 1000));
    route.set("between_bytes", milliseconds(*read * 1000));
  }
  if (const auto host = object.get("upstream-vhost"); !host.empty()) route.set("host_header", json_text(host));
  set_cors(object, route);
  if (const auto url = object.get("auth-url"); !url.empty())
    set_auth(
        route,
        {.url = url, .copy = split(object.get("auth-response-headers")), .fields = {}, .cookies = true, .timeout = {}},
        object.spot("auth-url"), "auth-url: " + url);
  const auto allowed = split(object.get("whitelist-source-range", object.get("allowlist-source-range")));
  const auto denied = split(object.get("denylist-source-range"));
  if (!allowed.empty() || !denied.empty())
    set_addresses(address_rules(allowed, denied, object.spot("whitelist-source-range")), route);
}

void take_path(IngressWork& work, const IngressObject& object, const TreeNode& path, const std::string& host,
               const std::vector<std::string>& limits, bool tls) {
  DraftEntry route;
  route.spot = path.spot;
  route.from = "path " + path.get("path", "/");
  route.comments.push_back("Ingress " + object.space + '/' + object.name);
  auto text = path.get("path", "/");
  const auto type = path.get("pathType", "ImplementationSpecific");
  const bool expression = is_true(object.get("use-regex")) || text.find_first_of("()[]^$*|?+\\") != std::string::npos;
  const auto target = object.get("rewrite-target");
  // Recognises the usual pair "/api(/|$)(.*)" and "/$2", whose first part is to be stripped.
  std::string strip;
  bool understood = !expression;
  for (const auto* tail : {"(/|$)(.*)", "/(.*)", "(.*)"}) {
    if (!expression || !text.ends_with(tail)) continue;
    strip = text.substr(0, text.size() - std::string_view(tail).size());
    understood = strip.find_first_of("()[]^$*|?+\\") == std::string::npos &&
                 (target.empty() || target.ends_with("$2") || target.ends_with("$1"));
    text = strip.empty() ? "/" : strip;
    break;
  }
  std::string matches;
  if (!understood) matches = regex_path(text, Begins::at_start).matches;
  if (!host.empty()) route.set("host", json_text(lower(host)));
  const auto full = type == "Exact" ? text : text.ends_with('/') ? text + "*" : text + "/*";
  route.set("path", json_text(understood ? full : "/*"));
  route.precedence = text.size() + 1;
  if (!expression && type != "Prefix" && type != "Exact" && !text.ends_with('/')) route.text_prefix = text;
  if (!matches.empty()) route.set("path_matches", json_text("(?i)" + matches));
  if (!understood && matches.empty())
    close_route(route, "path", path.spot, route.from,
                "\"path_matches\" cannot express this: write \"path\" of a route, or an expression of RE2");
  if (!understood && !target.empty())
    say(route, Matter::lost, object.spot("rewrite-target"), "rewrite-target: " + target,
        "write \"rewrite\" of the route, with parameters of its \"path\"");
  const auto upstream = upstream_for(work, object, path["backend"], route);
  if (upstream.empty())
    route.set("respond", R"({ "status": 503 })");
  else
    route.set("to", json_text(upstream));
  if (!target.empty() && understood) {
    auto before = target.substr(0, target.find('$'));
    while (before.ends_with('/')) before.pop_back();
    const bool whole = target.find('$') == std::string::npos;
    if (whole && type == "Exact") {
      route.set("rewrite", object_of({{"path", json_text(target)}}));
    } else if (whole) {
      say(route, Matter::lost, object.spot("rewrite-target"), "rewrite-target: " + target,
          "without a group, every path below is rewritten to this one; headgate strips the prefix");
      if (text != "/") route.set("rewrite", object_of({{"strip_prefix", json_text(text)}}));
    } else {
      std::vector<std::pair<std::string, std::string>> members;
      if (!strip.empty()) members.emplace_back("strip_prefix", json_text(strip));
      if (!before.empty()) members.emplace_back("add_prefix", json_text(before));
      if (!members.empty()) route.set("rewrite", object_of(members));
    }
  }
  if (tls && !object.annotations.contains("ssl-redirect")) route.set("redirect_to_https", "true");
  if (is_true(object.get("ssl-redirect")) && tls) route.set("redirect_to_https", "true");
  if (is_true(object.get("force-ssl-redirect"))) route.set("redirect_to_https", "true");
  if (const auto redirect = object.get("permanent-redirect", object.get("temporal-redirect")); !redirect.empty()) {
    route.set("to", {});
    route.set("redirect", object_of({{"to", json_text(redirect)},
                                     {"status", object.annotations.contains("permanent-redirect") ? "301" : "302"}}));
  }
  set_annotations(object, route);
  for (const auto& limit : limits) route.use(limit);
  put_route(work.draft, std::move(route));
}

void take_object(IngressWork& work, const TreeNode& node) {
  IngressObject object{node, {}, node["metadata"].get("name", "ingress"), node["metadata"].get("namespace", "default")};
  for (const auto& [key, value] : node["metadata"]["annotations"].members)
    if (key.starts_with(kPrefix)) object.annotations[key.substr(kPrefix.size())] = &value;
  say_annotations(work, object);
  std::vector<std::string> limits;
  add_limits(work, object, limits);
  const auto& spec = node["spec"];
  bool any_tls = false;
  std::set<std::string> tls_hosts;
  for (const auto* tls : spec["tls"].each()) {
    any_tls = true;
    for (const auto& host : (*tls)["hosts"].texts()) tls_hosts.insert(host);
    if (!tls->get("secretName").empty())
      work.draft.say(Matter::lost, tls->spot, "secretName: " + tls->get("secretName"),
                     "the certificate is in the cluster: mount it as a file, and name it in \"tls\" of a listener");
  }
  for (const auto* rule : spec["rules"].each())
    for (const auto* path : (*rule)["http"]["paths"].each())
      take_path(work, object, *path, rule->get("host"), limits,
                any_tls && (tls_hosts.empty() || tls_hosts.contains(rule->get("host"))));
  if (const auto& otherwise = spec.has("defaultBackend") ? spec["defaultBackend"] : spec["backend"]) {
    DraftEntry route;
    route.spot = otherwise.spot;
    route.from = "defaultBackend";
    route.comments.push_back("Ingress " + object.space + '/' + object.name + ": all other requests");
    route.set("path", json_text("/*"));
    const auto upstream = upstream_for(work, object, otherwise, route);
    route.set(upstream.empty() ? "respond" : "to", upstream.empty() ? R"({ "status": 503 })" : json_text(upstream));
    set_annotations(object, route);
    for (const auto& limit : limits) route.use(limit);
    put_route(work.draft, std::move(route));
  }
}

/// Collects the objects of a document, including those in a List.
void objects_in(const TreeNode& node, std::vector<const TreeNode*>& out) {
  if (node.get("kind").ends_with("List"))
    for (const auto* item : node["items"].each()) out.push_back(item);
  else if (node.is_map())
    out.push_back(&node);
}

}  // namespace

void take_ingress(const std::vector<ReadFile>& inputs, Draft& draft) {
  std::size_t count = 0;
  std::vector<TreeNode> documents;
  for (const auto& input : inputs)
    for (auto& document : read_yaml(input.text, input.name, count)) documents.push_back(std::move(document));
  std::vector<const TreeNode*> objects;
  for (const auto& document : documents) objects_in(document, objects);
  IngressWork work{.draft = draft, .ports = {}, .upstreams = {}, .said = {}};
  for (const auto* object : objects)
    if (object->get("kind") == "Service")
      for (const auto* port : (*object)["spec"]["ports"].each())
        work.ports[(*object)["metadata"].get("namespace", "default") + '/' + (*object)["metadata"].get("name") + '/' +
                   port->get("name")] = port->get("port");
  draft.listeners.emplace_back().set("address", json_text(":8080"));
  draft.listeners.back().comments.emplace_back("For a Service of its own; the controller listens on ports 80 and 443.");
  for (const auto* object : objects) {
    if (object->get("kind") == "Ingress")
      take_object(work, *object);
    else if (object->get("kind") != "Service")
      draft.say(Matter::aside, object->spot, object->get("kind"), "this is not an Ingress");
  }
}

}  // namespace headgate::translate
