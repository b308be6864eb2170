#pragma once
// Gateways in front of servers that are asked over HTTP/2.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/h2_server.hpp"

#include <functional>
#include <string>

namespace headgate::test {

inline constexpr std::uint32_t kRefusedStream = 7;
inline constexpr std::uint32_t kCancel = 8;

/// Asks `url` over HTTP/2, for callers that may speak it too.
inline Json asking(const std::string& url, const Json& more = Json::object()) {
  Json changes = {{"listen", {{"address", "127.0.0.1:0"}, {"http2", true}}},
                  {"upstreams", {{"app", {{"servers", {url}}, {"protocol", "http2"}}}}}};
  changes.merge_patch(more);
  return changes;
}

/// Answers requests that are whole.
inline H2Server::Answer once_ended(std::function<std::string(const H2Asked&)> answer) {
  return [answer = std::move(answer)](const H2Asked& asked) {
    return asked.ended && !asked.reset ? answer(asked) : std::string();
  };
}

}  // namespace headgate::test
