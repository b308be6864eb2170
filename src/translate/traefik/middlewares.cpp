// Translates middlewares into keys of a route.

#include "known.hpp"
#include "translate/draft/compress.hpp"
#include "translate/draft/json.hpp"
#include "translate/draft/protect.hpp"
#include "translate/reading/numbers.hpp"
#include "translate/traefik/work.hpp"
#include "translate/unreadable.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <charconv>

namespace headgate::translate {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

/// Converts "1s", "1m30s" or "10" (seconds) to milliseconds.
std::optional<std::uint64_t> go_time(std::string_view text) {
  std::uint64_t total = 0;
  while (!text.empty()) {
    std::uint64_t number = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (wrong != std::errc() || number > 1'000'000'000) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    std::uint64_t unit = 1000;
    std::size_t length = text.empty() ? 0 : 1;
    if (text.starts_with("ms")) {
      unit = 1;
      length = 2;
    } else if (text.starts_with('m')) {
      unit = 60'000;
    } else if (text.starts_with('h')) {
      unit = 3'600'000;
    } else if (!text.empty() && !text.starts_with('s')) {
      return std::nullopt;
    }
    text.remove_prefix(length);
    total += number * unit;
  }
  return total > 0 ? std::optional(total) : std::nullopt;
}

/// Returns the unit of a rate, such as "second", "minute" or "10s".
std::string unit_of(std::uint64_t period) {
  if (period == 1000) return "second";
  if (period == 60'000) return "minute";
  if (period == 3'600'000) return "hour";
  return period % 1000 == 0 ? std::to_string(period / 1000) + "s" : std::to_string(period) + "ms";
}

/// Sets what a limit counts by.
void set_source(TraefikWork& work, const TreeNode& middleware, const char* otherwise, DraftEntry& limit) {
  const auto& source = member_of(middleware, "sourceCriterion");
  const auto header = text_in(source, "requestHeaderName");
  if (!header.empty()) {
    limit.set("per", json_text("header:" + header));
    if (work.said.insert("header").second)
      say(limit, Matter::differs, source.spot, "requestHeaderName",
          "Traefik counts requests without the field together; here they are not counted");
    limit.set("if_absent", json_text("skip"));
  } else if (is_true(text_in(source, "requestHost"))) {
    limit.set("per", json_text("host"));
  } else if (const auto& strategy = member_of(source, "ipStrategy")) {
    limit.set("per", json_text("client_ip"));
    const auto depth = text_in(strategy, "depth");
    if (!depth.empty() && depth != "0")
      say(limit, Matter::lost, strategy.spot, "depth: " + depth,
          "write the proxies in front in \"identity\": { \"trusted_proxies\" }");
    if (const auto excluded = member_of(strategy, "excludedIPs").texts(); !excluded.empty())
      work.draft.identity.set("trusted_proxies", texts_of(excluded));
  } else {
    limit.set("per", json_text(otherwise));
  }
}

std::string add_limit(TraefikWork& work, const std::string& name, DraftEntry limit) {
  limit.name = free_name(name.substr(0, name.find('@')), work.draft.limit_names);
  put_limit(work.draft, limit);
  return work.limits[name] = limit.name;
}

std::string rate_limit(TraefikWork& work, const std::string& name, const TreeNode& node) {
  DraftEntry limit;
  limit.spot = node.spot;
  limit.from = "middleware " + name;
  const auto average = whole_count(text_in(node, "average", "0")).value_or(0);
  const auto burst = std::max<std::uint64_t>(whole_count(text_in(node, "burst", "1")).value_or(1), 1);
  const auto period = go_time(text_in(node, "period", "1s")).value_or(1000);
  if (average == 0) {
    work.draft.say(Matter::aside, node.spot, limit.from, "average 0 is no limit");
    return work.limits[name] = {};
  }
  limit.set("rate", rate_of(average, unit_of(period)));
  limit.set("burst", std::to_string(burst));
  set_source(work, node, "client_ip", limit);
  // Traefik delays a request that is too early by at most half the time of one permit, and by at most half a second;
  // otherwise it rejects the request.
  const auto wait = std::min<std::uint64_t>(period / average / 2, 500);
  if (wait > 0) limit.set("wait", milliseconds(wait));
  limit.comments.push_back("average " + std::to_string(average) + ", burst " + std::to_string(burst));
  if (wait > 0) limit.comments.emplace_back("Traefik also lets a request wait for half the time of one permit.");
  if (limit.get("per") == json_text("client_ip") && work.said.insert("ipv6").second)
    say(limit, Matter::differs, node.spot, limit.from,
        "headgate counts all IPv6 addresses of a /64 block as one client: \"ipv6_prefix\"");
  return add_limit(work, name, std::move(limit));
}

std::string in_flight(TraefikWork& work, const std::string& name, const TreeNode& node) {
  DraftEntry limit;
  limit.spot = node.spot;
  limit.from = "middleware " + name;
  const auto amount = whole_count(text_in(node, "amount", "0")).value_or(0);
  if (amount == 0) {
    work.draft.say(Matter::aside, node.spot, limit.from, "amount 0 is no limit");
    return work.limits[name] = {};
  }
  limit.set("in_flight", std::to_string(amount));
  set_source(work, node, "host", limit);  // Traefik's default
  return add_limit(work, name, std::move(limit));
}

void take_headers(const TreeNode& node, DraftEntry& route) {
  const auto put = [&](const char* from, const char* key) {
    Members set;
    std::vector<std::string> remove;
    for (const auto& [name, value] : member_of(node, from).members) {
      if (value.text.empty())
        remove.push_back(name);
      else
        set.emplace_back(name, json_text(value.text));
    }
    Members members;
    if (!remove.empty()) members.emplace_back("remove", texts_of(remove));
    if (!set.empty()) members.emplace_back("set", object_of(set));
    if (!members.empty()) route.set(key, object_of(members));
  };
  put("customRequestHeaders", "request_headers");
  put("customResponseHeaders", "response_headers");
  const auto origins = member_of(node, "accessControlAllowOriginList").texts();
  if (!origins.empty()) {
    Members members{{"origins", text_or_list(origins)}};
    if (const auto methods = member_of(node, "accessControlAllowMethods").texts(); !methods.empty())
      members.emplace_back("methods", texts_of(methods));
    if (const auto headers = member_of(node, "accessControlAllowHeaders").texts(); !headers.empty())
      members.emplace_back("headers", texts_of(headers));
    route.set("cors", object_of(members));
  }
  for (const auto& [name, value] : node.members) {
    const auto plain = lower(name);
    if (plain == "allowedhosts" && !comma_list(value).empty())
      close_route(route, name, value.spot, name, "write the \"host\" of each of these in a route");
    else if (plain == "sslredirect" && is_true(value.text))
      route.set("redirect_to_https", "true");
    else if (!plain.starts_with("custom") && !plain.starts_with("accesscontrol"))
      say(route, Matter::lost, value.spot, name, "write the field in \"response_headers\"; for HSTS there is \"hsts\"");
  }
}

/// Adds a member to "rewrite" and keeps the existing ones.
void add_rewrite(DraftEntry& route, const char* key, const std::string& json) {
  const std::string before(route.get("rewrite"));
  if (before.empty()) return route.set("rewrite", object_of({{key, json}}));
  route.set("rewrite", before.substr(0, before.size() - 2) + ", \"" + key + "\": " + json + " }");
}

void strip_prefix(const TreeNode& node, DraftEntry& route) {
  const auto path = std::string(route.get("path"));
  for (auto prefix : comma_list(member_of(node, "prefixes"))) {
    while (prefix.ends_with('/')) prefix.pop_back();
    const auto json = json_text(prefix);
    const auto begin = json.substr(0, json.size() - 1);
    if (!path.starts_with(begin + "/") && path != json) continue;
    return add_rewrite(route, "strip_prefix", json);
  }
  say(route, Matter::lost, node.spot, "stripPrefix", "the path of this route does not begin with one of these");
}

void redirect_scheme(const TreeNode& node, DraftEntry& route) {
  if (text_in(node, "scheme") == "https") {
    const auto port = text_in(node, "port");
    route.set("redirect_to_https", port.empty() || port == "443" || !whole_count(port) ? "true" : port);
  } else {
    close_route(route, "redirectScheme", node.spot, "redirectScheme",
                std::string(traefik_middleware("redirectScheme")->why));
  }
}

void retry_of(TraefikWork& work, const TreeNode& node, DraftEntry& route) {
  const auto attempts = whole_count(text_in(node, "attempts"));
  if (!attempts || *attempts < 1) return;
  if (auto* const upstream = upstream_in(work.draft, route.get("to")))
    upstream->set("retry", object_of({{"attempts", std::to_string(std::min<std::uint64_t>(*attempts, 10))},
                                      {"on", R"(["connect_error", "closed"])"}}));
}

void compress_of(const TreeNode& node, DraftEntry& route) {
  DraftCompress out{.encodings = member_of(node, "encodings").texts(),
                    .types = member_of(node, "includedContentTypes").texts(),
                    .min_bytes = whole_count(text_in(node, "minResponseBodyBytes")),
                    .level = {}};
  if (out.encodings.empty()) out.encodings = {"gzip", "br"};
  if (out.types.empty()) out.types = {"*"};
  set_compress(route, out, node.spot, "compress");
  if (!member_of(node, "excludedContentTypes").texts().empty())
    say(route, Matter::lost, node.spot, "compress: excludedContentTypes",
        "name the types that are compressed in \"types\"; headgate's own leave out what is compressed in itself");
}

std::string limit_for(TraefikWork& work, const std::string& name, const std::string& kind, const TreeNode& node) {
  const auto known = work.limits.find(name);
  if (known != work.limits.end()) return known->second;
  return kind == "ratelimit" ? rate_limit(work, name, node) : in_flight(work, name, node);
}

void apply_kind(TraefikWork& work, const std::string& name, const std::string& written, const TreeNode& node,
                DraftEntry& route) {
  const auto kind = lower(written);
  const auto* const known = traefik_middleware(written);
  const auto what = std::string("middleware ").append(name).append(": ").append(written);
  if (known == nullptr) {
    close_route(route, "a middleware", node.spot, what, "headgate import does not know it, and it may refuse requests");
  } else if (kind == "ratelimit" || kind == "inflightreq") {
    if (const auto limit = limit_for(work, name, kind, node); !limit.empty()) route.use(limit);
  } else if (kind == "stripprefix") {
    strip_prefix(node, route);
  } else if (kind == "addprefix") {
    add_rewrite(route, "add_prefix", json_text(text_in(node, "prefix")));
  } else if (kind == "replacepath") {
    route.set("rewrite", object_of({{"path", json_text(text_in(node, "path"))}}));
  } else if (kind == "redirectscheme") {
    redirect_scheme(node, route);
  } else if (kind == "headers") {
    take_headers(node, route);
  } else if (kind == "buffering") {
    const auto most = whole_count(text_in(node, "maxRequestBodyBytes"));
    if (most && *most > 0) route.set("max_body", std::to_string(*most));
  } else if (kind == "retry") {
    retry_of(work, node, route);
  } else if (kind == "compress") {
    compress_of(node, route);
  } else if (known->becomes.empty() && known->matter == Matter::aside) {
    say(route, Matter::aside, node.spot, written, std::string(known->why));
  } else if (known->becomes.empty() && known->matter == Matter::lost) {
    say(route, Matter::lost, node.spot, what, std::string(known->why));
  } else if (!apply_access(work, kind, written, node, route)) {
    close_route(route, "a middleware", node.spot, what, std::string(known->why));
  }
}

}  // namespace

void apply_middleware(TraefikWork& work, const std::string& name, DraftEntry& route, int depth) {
  constexpr int kDeepestChain = 16;
  constexpr int kMaxApplied = 200;
  if (++work.applied > kMaxApplied)
    throw Unreadable(route.spot, "this router has more than " + std::to_string(kMaxApplied) + " middlewares");
  const auto plain = name.substr(0, name.find('@'));
  const auto found = work.middlewares.find(plain);
  if (found == work.middlewares.end() || depth > kDeepestChain)
    return close_route(route, "a middleware", route.spot, "middleware " + name,
                       depth > kDeepestChain ? "chains of chains" : "none of the files defines it");
  if (found->second == nullptr)
    return close_route(route, "a middleware", route.spot, "middleware " + name, "two definitions of this name differ");
  if (found->second->members.empty())
    return close_route(route, "a middleware", found->second->spot, "middleware " + name, "it says nothing");
  for (const auto& [written, node] : found->second->members) {
    if (!same_word(written, "chain")) {
      apply_kind(work, plain, written, node, route);
      continue;
    }
    for (const auto& inner : comma_list(member_of(node, "middlewares")))
      apply_middleware(work, inner, route, depth + 1);
  }
}

void keep_unused_middlewares(TraefikWork& work) {
  for (const auto& [name, middleware] : work.middlewares) {
    if (middleware == nullptr) continue;
    for (const auto& [written, node] : middleware->members) {
      const auto kind = lower(written);
      if (work.limits.contains(name)) continue;
      if (kind == "ratelimit") rate_limit(work, name, node);
      if (kind == "inflightreq") in_flight(work, name, node);
    }
  }
}

}  // namespace headgate::translate
