#include "translate/haproxy/requests.hpp"

#include "translate/draft/escape.hpp"
#include "translate/draft/json.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

using Kind = HaproxyTest::Kind;

bool is_block(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdefABCDEF.:/") == std::string::npos &&
         text.find_first_of(".:") != std::string::npos;
}

/// Adds the paths below a prefix. HAProxy's prefix "/admin" also matches "/adminx".
void add_prefix(const std::string& value, std::vector<HaproxyRequests>& out) {
  HaproxyRequests below;
  below.path = value.ends_with('/') ? value + "*" : value + "/*";
  out.push_back(below);
}

/// Returns whether a test can be a condition of a route.
bool fits_route(const HaproxyTest& test) {
  if (test.kind == Kind::source && test.negated) return !all_addresses_but(test.values).empty();
  if (test.negated) return false;
  if (test.kind == Kind::source) return std::ranges::all_of(test.values, is_block);
  if (test.kind == Kind::path || test.kind == Kind::path_prefix)
    return std::ranges::all_of(test.values, [](const auto& value) { return value.starts_with('/'); });
  return test.kind == Kind::always || test.kind == Kind::host || test.kind == Kind::path_matches ||
         test.kind == Kind::method || test.kind == Kind::header;
}

}  // namespace

bool covers_path(const std::string& outer, const std::string& inner) {
  if (outer == inner) return true;
  if (!outer.ends_with("/*")) return false;
  const auto begin = outer.substr(0, outer.size() - 1);
  return inner.starts_with(begin) || inner + "/" == begin;
}

bool covers(const HaproxyRequests& outer, const HaproxyRequests& inner) {
  if (!outer.host.empty() && outer.host != inner.host) return false;
  if (!outer.methods.empty() && outer.methods != inner.methods) return false;
  if (!outer.headers.empty() && outer.headers != inner.headers) return false;
  if (!outer.path_matches.empty() && outer.path_matches != inner.path_matches) return false;
  if (!outer.client_ip.empty() && outer.client_ip != inner.client_ip) return false;
  if (!outer.not_client_ip.empty() && outer.not_client_ip != inner.not_client_ip) return false;
  return covers_path(outer.path, inner.path);
}

std::optional<std::vector<HaproxyRequests>> requests_of(const HaproxyTests& tests) {
  std::vector<std::string> hosts;
  std::vector<HaproxyRequests> paths;
  HaproxyRequests common;
  for (const auto& test : tests) {
    if (!fits_route(test)) return std::nullopt;
    if (test.kind == Kind::host && hosts.empty()) {
      for (const auto& value : test.values) hosts.push_back(lower(value.substr(0, value.find(':'))));
    } else if (test.kind == Kind::path && paths.empty()) {
      for (const auto& value : test.values) paths.emplace_back().path = value;
    } else if (test.kind == Kind::path_prefix && paths.empty()) {
      for (const auto& value : test.values) add_prefix(value, paths);
    } else if (test.kind == Kind::path_matches && common.path_matches.empty()) {
      common.path_matches = test.values.front();
    } else if (test.kind == Kind::method && common.methods.empty()) {
      common.methods = test.values;
    } else if (test.kind == Kind::source && test.negated) {
      common.not_client_ip.insert(common.not_client_ip.end(), test.values.begin(), test.values.end());
    } else if (test.kind == Kind::source && common.client_ip.empty()) {
      common.client_ip = test.values;
    } else if (test.kind == Kind::header) {
      common.headers.emplace_back(test.name, test.values.empty() ? "true" : text_or_list(test.values));
    } else if (test.kind != Kind::always) {
      return std::nullopt;
    }
  }
  // A route can have one list of addresses, and several tests together may leave no address.
  const bool left = common.client_ip.empty() && !all_addresses_but(common.not_client_ip).empty();
  if (!common.not_client_ip.empty() && !left) return std::nullopt;
  if (hosts.empty()) hosts.emplace_back();
  if (paths.empty()) paths.emplace_back();
  std::vector<HaproxyRequests> out;
  for (const auto& host : hosts)
    for (const auto& path : paths) {
      out.push_back(common);
      out.back().host = host;
      out.back().path = path.path;
    }
  return out;
}

std::vector<HaproxyRequests> at_least(const HaproxyTests& tests) {
  HaproxyTests kept;
  std::vector<std::string> open;  // prefixes that end within a segment
  for (const auto& test : tests) {
    if (!fits_route(test) || test.approximate) continue;
    // A route has one condition of each kind. For addresses, it has one list of matching ones, or several lists of
    // excluded ones.
    const bool repeats = test.kind == Kind::header || (test.kind == Kind::source && test.negated);
    const auto same = [&](const auto& each) {
      return each.kind == test.kind && (!repeats || each.negated != test.negated);
    };
    if (std::ranges::any_of(kept, same)) continue;
    const bool path = test.kind == Kind::path || test.kind == Kind::path_prefix;
    if (path && std::ranges::any_of(
                    kept, [](const auto& each) { return each.kind == Kind::path || each.kind == Kind::path_prefix; }))
      continue;
    kept.push_back(test);
    if (test.kind == Kind::path_prefix)
      for (const auto& value : test.values)
        if (!value.ends_with('/')) open.push_back(value);
  }
  auto out = requests_of(kept).value_or(std::vector<HaproxyRequests>(1));
  if (out.empty()) return out;
  if (!out.front().path_matches.empty() && !open.empty()) return std::vector<HaproxyRequests>(1);
  const auto whole = out;
  for (const auto& prefix : open)
    for (auto each : whole) {
      if (each.path != prefix + "/*") continue;
      each.path = prefix.substr(0, prefix.rfind('/') + 1) + "*";
      each.path_matches = escaped_text(prefix) + "[^/].*";
      out.push_back(std::move(each));
    }
  return out;
}

bool are_exact(const HaproxyTests& tests) {
  return std::ranges::all_of(tests, [](const auto& test) { return fits_route(test) && !test.approximate; }) &&
         requests_of(tests).has_value();
}

void set_requests(DraftEntry& route, const HaproxyRequests& requests) {
  std::vector<DraftEntry::Field> head;
  if (!requests.host.empty()) head.push_back({"host", json_text(requests.host)});
  head.push_back({"path", json_text(requests.path)});
  if (!requests.path_matches.empty()) head.push_back({"path_matches", json_text(requests.path_matches)});
  if (!requests.methods.empty()) head.push_back({"methods", texts_of(requests.methods)});
  if (!requests.headers.empty()) head.push_back({"headers", object_of(requests.headers)});
  if (const auto blocks = requests.client_ip.empty() ? all_addresses_but(requests.not_client_ip) : requests.client_ip;
      !blocks.empty())
    head.push_back({"client_ip", text_or_list(blocks)});
  for (const auto* key : {"host", "path", "path_matches", "methods", "headers", "client_ip"}) route.set(key, {});
  route.fields.insert(route.fields.begin(), head.begin(), head.end());
}

}  // namespace headgate::translate
