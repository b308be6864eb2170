#include "blackbox/harness/fake_answer.hpp"

#include "headgate/core/base64.hpp"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <thread>

namespace headgate::test {
namespace {

std::size_t number(const Message& request, std::string_view name, std::size_t otherwise = 0) {
  return request.has(name) ? std::strtoull(request.value(name).c_str(), nullptr, 10) : otherwise;
}

void pause(std::size_t milliseconds) { std::this_thread::sleep_for(Milliseconds(milliseconds)); }

bool bodiless(const Message& request, std::size_t status) {
  return request.method() == "HEAD" || status == 204 || status == 304 || status < 200;
}

}  // namespace

std::string switching_head(const Message& request) {
  auto out = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: " + request.value("Upgrade") + "\r\n";
  if (request.has("Sec-WebSocket-Key")) {
    const auto text = request.value("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    std::array<char, SHA_DIGEST_LENGTH> digest{};
    SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
         reinterpret_cast<unsigned char*>(digest.data()));
    const auto right = base64({digest.data(), digest.size()});
    out += "Sec-WebSocket-Accept: " + (request.has("X-Test-Accept") ? request.value("X-Test-Accept") : right) + "\r\n";
  }
  for (const auto& field : request.fields)
    if (same_name(field.name, "X-Test-Field")) out += field.value + "\r\n";
  return out + "\r\n";
}

bool FakeAnswer::send(const Message& request) {
  if (!before(request)) return false;
  if (request.has("X-Test-Raw")) {
    return socket_.send(from_hex(request.value("X-Test-Raw"))) && !request.has("X-Test-Close");
  }
  if (request.has("X-Test-Raw-Body")) return socket_.send(request.body);
  std::string body = request.has("X-Test-Echo") ? request.body : pattern(number(request, "X-Test-Bytes", 3));
  if (!send_body(request, head(request, body), framed(request, body))) return false;
  if (request.has("X-Test-After")) {
    pause(20);
    if (!socket_.send(from_hex(request.value("X-Test-After")))) return false;
  }
  return !request.has("X-Test-Close") && !request.has("X-Test-No-Length") && !request.has("X-Test-Early");
}

bool FakeAnswer::before(const Message& request) {
  if (request.has("X-Test-Delay-Ms")) pause(number(request, "X-Test-Delay-Ms"));
  if (request.has("X-Test-Hold") && !wait_released_()) return false;
  if (request.has("X-Test-Never")) return wait_for_end();
  if (request.has("X-Test-Reset") || (reused_ && request.has("X-Test-Reset-If-Reused"))) {
    socket_.reset_on_close();
    return false;
  }
  if (!request.has("X-Test-Interim")) return true;
  return socket_.send("HTTP/1.1 " + request.value("X-Test-Interim") + " Early Hints\r\nLink: </a.css>\r\n\r\n");
}

bool FakeAnswer::send_body(const Message& request, const std::string& head, const std::string& framed) {
  if (request.has("X-Test-Cut")) {
    socket_.send(head + framed.substr(0, framed.size() / 2));
    return false;
  }
  if (request.has("X-Test-Stall")) {
    return socket_.send(head + framed.substr(0, framed.size() / 2)) && wait_released_() &&
           socket_.send(framed.substr(framed.size() / 2));
  }
  if (!request.has("X-Test-Piece-Delay-Ms")) return socket_.send(head + framed);
  const std::size_t piece = std::max<std::size_t>(framed.size() / 10, 1);
  bool sent = socket_.send(head);
  for (std::size_t at = 0; sent && at < framed.size(); at += piece) {
    pause(number(request, "X-Test-Piece-Delay-Ms"));
    sent = socket_.send(std::string_view(framed).substr(at, piece));
  }
  return sent;
}

std::string FakeAnswer::head(const Message& request, const std::string& body) const {
  const std::size_t status = number(request, "X-Test-Status", 200);
  const std::string reason = request.has("X-Test-Reason") ? request.value("X-Test-Reason") : "OK";
  std::string text = "HTTP/1.1 " + std::to_string(status) + " " + reason + "\r\nContent-Type: text/plain\r\n";
  for (const auto& field : request.fields) {
    if (same_name(field.name, "X-Test-Field")) text += field.value + "\r\n";
  }
  if (request.has("X-Test-Connection")) text += "Connection: " + request.value("X-Test-Connection") + "\r\n";
  if (request.has("X-Test-Chunked")) {
    if (request.method() != "HEAD") text += "Transfer-Encoding: chunked\r\n";
  } else if (!request.has("X-Test-No-Length") && status != 204 && status != 304 && status >= 200) {
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  return text + "\r\n";
}

std::string FakeAnswer::framed(const Message& request, const std::string& body) {
  if (bodiless(request, number(request, "X-Test-Status", 200))) return "";
  if (!request.has("X-Test-Chunked")) return body;
  const std::size_t most = std::max<std::size_t>(number(request, "X-Test-Chunked"), 1);
  const std::string extension =
      request.has("X-Test-Chunk-Extension") ? ";" + request.value("X-Test-Chunk-Extension") : "";
  std::string text;
  for (std::size_t at = 0; at < body.size(); at += most) {
    const std::size_t bytes = std::min(most, body.size() - at);
    char size[20];
    std::snprintf(size, sizeof size, "%zx", bytes);
    text += size + extension + "\r\n";
    text.append(body, at, bytes);
    text += "\r\n";
  }
  text += "0" + extension + "\r\n";
  for (const auto& field : request.fields) {
    if (same_name(field.name, "X-Test-Trailer")) text += field.value + "\r\n";
  }
  return text + "\r\n";
}

/// Waits until the gateway closes the connection or the test ends. Always false: the connection is over.
bool FakeAnswer::wait_for_end() {
  std::string ignored;
  while (socket_.receive(ignored, kForever) == Got::bytes) continue;
  return false;
}

}  // namespace headgate::test
