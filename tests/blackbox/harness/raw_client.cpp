#include "blackbox/harness/raw_client.hpp"

#include <thread>

namespace headgate::test {

RawClient::RawClient(std::uint16_t port, const std::string& source)
    : socket_(std::make_unique<Socket>(Socket::connect(port, "127.0.0.1", source))),
      reader_(std::make_unique<MessageReader>(*socket_)) {}

bool RawClient::send_slowly(std::string_view bytes, std::size_t piece, Milliseconds between) {
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    if (at > 0 && between.count() > 0) std::this_thread::sleep_for(between);
    if (!send(bytes.substr(at, piece))) return false;
  }
  return true;
}

Message RawClient::read(Kind kind, Milliseconds timeout) {
  while (true) {
    Message message = read_head(timeout);
    if (message.ok() && message.status() >= 100 && message.status() < 200) continue;
    read_body(message, kind, timeout);
    return message;
  }
}

Message RawClient::ask(std::string_view request, Kind kind) {
  send(request);
  return read(kind);
}

Message RawClient::get(const std::string& target, const std::string& fields) {
  return ask(request("GET", target, fields));
}

bool RawClient::closes(Milliseconds within) {
  std::string rest = reader_->ahead();
  Got got = Got::bytes;
  while (got == Got::bytes && rest.empty()) got = socket_->receive(rest, within);
  return rest.empty() && (got == Got::end || got == Got::reset);
}

bool RawClient::stays_silent(Milliseconds during) {
  return reader_->ahead().empty() && socket_->receive(reader_->ahead(), during) == Got::timeout;
}

std::string RawClient::read_to_end(Milliseconds timeout) {
  while (socket_->receive(reader_->ahead(), timeout) == Got::bytes) continue;
  return std::exchange(reader_->ahead(), "");
}

std::string RawClient::read_bytes(std::size_t bytes, Milliseconds timeout) {
  while (reader_->ahead().size() < bytes && socket_->receive(reader_->ahead(), timeout) == Got::bytes) continue;
  std::string taken = reader_->ahead().substr(0, bytes);
  reader_->ahead().erase(0, bytes);
  return taken;
}

std::string request(const std::string& method, const std::string& target, const std::string& fields,
                    const std::string& body) {
  return method + " " + target + " HTTP/1.1\r\nHost: test.example\r\n" + fields + "\r\n" + body;
}

std::string request_with_body(const std::string& method, const std::string& target, const std::string& body,
                              const std::string& fields) {
  return request(method, target, "Content-Length: " + std::to_string(body.size()) + "\r\n" + fields, body);
}

}  // namespace headgate::test
