#pragma once
// WebSockets over HTTP/2 (RFC 8441), frame by frame. What they carry is not looked at.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/h2_client.hpp"

#include <optional>
#include <string>

namespace headgate::test {

inline constexpr std::uint32_t kProtocolError = 1;
inline constexpr std::uint32_t kCancelled = 8;

inline Json over_http2(const Json& more = Json::object()) {
  Json changes = {{"listen", {{"address", "127.0.0.1:0"}, {"http2", true}}}};
  changes.merge_patch(more);
  return changes;
}

inline H2Fields websocket(const std::string& path = "/ws", const H2Fields& more = {},
                          const std::string& protocol = "websocket") {
  H2Fields out{{":method", "CONNECT"}, {":protocol", protocol},     {":scheme", "http"},
               {":path", path},        {":authority", "a.example"}, {"sec-websocket-version", "13"}};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

/// Reads until the stream has a status or is over.
inline H2Answer head_of(H2Client& client, std::uint32_t stream) {
  while (client.answers[stream].status == 0 && !client.answers[stream].reset && client.read()) continue;
  return client.answers[stream];
}

inline H2Answer open_websocket(H2Client& client, std::uint32_t stream, const H2Fields& fields = websocket()) {
  client.send(h2_request(stream, fields, false));
  return head_of(client, stream);
}

inline void say(H2Client& client, std::uint32_t stream, std::string_view bytes, bool last = false) {
  client.send(h2_frame(h2_data, last ? kEndStream : 0, stream, bytes));
}

/// Whether these bytes come on the stream, at the end of all that came.
inline bool hears(H2Client& client, std::uint32_t stream, const std::string& text) {
  while (!client.answers[stream].body.ends_with(text) && !client.answers[stream].reset && client.read()) continue;
  return client.answers[stream].body.ends_with(text);
}

/// What the first SETTINGS of the gateway say of extended CONNECT; nothing: they do not speak of it.
inline std::optional<std::uint32_t> advertised(H2Client& client) {
  constexpr char kEnableConnectProtocol = 8;
  const auto frame = client.next(h2_settings);
  if (!frame) return std::nullopt;
  for (std::size_t at = 0; at + 6 <= frame->payload.size(); at += 6)
    if (frame->payload[at] == 0 && frame->payload[at + 1] == kEnableConnectProtocol) return frame->number(at + 2);
  return std::nullopt;
}

}  // namespace headgate::test
