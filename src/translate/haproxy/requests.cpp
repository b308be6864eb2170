#include "translate/haproxy/requests.hpp"

#include "translate/draft/json.hpp"

#include "headgate/core/text.hpp"

namespace headgate::translate {

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
  return covers_path(outer.path, inner.path);
}

std::optional<std::vector<HaproxyRequests>> requests_of(const HaproxyTests& tests) {
  using Kind = HaproxyTest::Kind;
  std::vector<std::string> hosts;
  std::vector<std::string> paths;
  HaproxyRequests common;
  for (const auto& test : tests) {
    if (test.kind == Kind::always && !test.negated) continue;
    if (test.negated) return std::nullopt;
    if (test.kind == Kind::host && hosts.empty()) {
      for (const auto& value : test.values) hosts.push_back(lower(value.substr(0, value.find(':'))));
    } else if ((test.kind == Kind::path || test.kind == Kind::path_prefix) && paths.empty()) {
      for (const auto& value : test.values) {
        if (!value.starts_with('/')) return std::nullopt;
        const bool prefix = test.kind == Kind::path_prefix;
        paths.push_back(!prefix ? value : value.ends_with('/') ? value + "*" : value + "/*");
      }
    } else if (test.kind == Kind::method && common.methods.empty()) {
      common.methods = test.values;
    } else if (test.kind == Kind::header) {
      common.headers.emplace_back(test.name, test.values.empty() ? "true" : text_or_list(test.values));
    } else {
      return std::nullopt;
    }
  }
  if (hosts.empty()) hosts.emplace_back();
  if (paths.empty()) paths.emplace_back("/*");
  std::vector<HaproxyRequests> out;
  for (const auto& host : hosts)
    for (const auto& path : paths) {
      out.push_back(common);
      out.back().host = host;
      out.back().path = path;
    }
  return out;
}

}  // namespace headgate::translate
