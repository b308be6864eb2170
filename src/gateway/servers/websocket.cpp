#include "websocket.hpp"

#include "headgate/http/websocket.hpp"

namespace headgate::gateway {

using http::Known;

std::string_view add_websocket_key(Exchange& x) {
  auto& random = *x.random;
  const auto first = random();
  const auto key = x.text.join({http::websocket_key(first, random())});
  x.fields.push_back({Known::sec_websocket_key, "Sec-WebSocket-Key", key});
  return key;
}

const char* flaw_of_handshake(const http::ReplyHead& answer, std::string_view key) {
  if (!http::same_word(http::value_of(answer.fields, Known::upgrade), http::kWebSocket))
    return "the server switches to another protocol than websocket";
  if (http::value_of(answer.fields, Known::sec_websocket_accept) != http::websocket_accept(key))
    return "the server's Sec-WebSocket-Accept is not that of the key it was sent";
  return nullptr;
}

Problem websocket_not_opened(Exchange& x) {
  x.reason = x.text.join({"the server answers ", x.text.number(x.answer.status), " and opens no WebSocket"});
  return {.status = 502, .ended_by = EndedBy::upstream, .detail = "The server did not open a WebSocket."};
}

// Servers that are asked over HTTP/2 open none, and an answer of the route's own that is a success would look like one.
MaybeProblem refused_websocket(const Exchange& x) {
  const auto& respond = x.route->respond;
  const bool opens_none = respond ? respond->status >= 200 && respond->status < 300 : x.route->asks_http2();
  if (!opens_none) return {};
  return Problem{.status = 501, .ended_by = EndedBy::bad_request, .detail = "No WebSocket can be opened here."};
}

}  // namespace headgate::gateway
