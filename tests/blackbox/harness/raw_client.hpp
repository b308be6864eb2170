#pragma once
// A client that sends exactly the given bytes and reads answers strictly.

#include "blackbox/harness/message.hpp"
#include "blackbox/harness/socket.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace headgate::test {

/// One connection to a gateway. One thread at a time.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port, const std::string& source = "");

  bool is_open() const { return socket_->is_open(); }
  Socket& socket() { return *socket_; }

  /// False if the gateway had closed. A test that needs to know looks at the answer instead.
  bool send(std::string_view bytes) { return socket_->send(bytes, kPatience); }
  /// Sends `bytes` in this many `pieces`, with a wait before each but the first.
  bool send_slowly(std::string_view bytes, std::size_t piece, Milliseconds between);

  /// The next final answer, with its body.
  Message read(Kind kind = Kind::answer, Milliseconds timeout = kPatience);
  /// The head of the next answer, interim or final.
  Message read_head(Milliseconds timeout = kPatience) { return reader_->read_head(timeout); }
  /// The body after that head.
  void read_body(Message& message, Kind kind = Kind::answer, Milliseconds timeout = kPatience) {
    reader_->read_body(message, kind, timeout);
  }
  /// Sends a request and reads its answer.
  Message ask(std::string_view request, Kind kind = Kind::answer);
  /// Sends a GET of `target` with further field lines ("A: b\r\n") and reads its answer.
  Message get(const std::string& target = "/", const std::string& fields = "");

  /// Whether the gateway closes in time without another byte.
  bool closes(Milliseconds within = kPatience);
  /// Whether nothing arrives and nothing closes for this long.
  bool stays_silent(Milliseconds during);
  /// All bytes until the gateway closes or `timeout` passes without one.
  std::string read_to_end(Milliseconds timeout = kPatience);
  /// At least `bytes` bytes, or those before the end.
  std::string read_bytes(std::size_t bytes, Milliseconds timeout = kPatience);

 private:
  // The reader has a pointer to the socket, so both must stay in place when a client is moved.
  std::unique_ptr<Socket> socket_;
  std::unique_ptr<MessageReader> reader_;
};

/// A request with a Host, these field lines and this body. The caller adds Content-Length.
std::string request(const std::string& method, const std::string& target, const std::string& fields = "",
                    const std::string& body = "");
/// The same with its Content-Length.
std::string request_with_body(const std::string& method, const std::string& target, const std::string& body,
                              const std::string& fields = "");

}  // namespace headgate::test
