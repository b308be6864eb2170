#pragma once
// A client that sends exactly the bytes it is told to and reads answers strictly.

#include "blackbox/harness/message.hpp"
#include "blackbox/harness/socket.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace headgate::test {

/// One connection to a gateway. Test thread only (one at a time).
class RawClient {
 public:
  explicit RawClient(std::uint16_t port, const std::string& source = "");

  bool is_open() const { return socket_->is_open(); }
  Socket& socket() { return *socket_; }

  /// False where the gateway had closed. A test that cares looks at the answer instead.
  bool send(std::string_view bytes) { return socket_->send(bytes, kPatience); }
  /// `pieces` of `bytes` with a wait before each but the first.
  bool send_slowly(std::string_view bytes, std::size_t piece, Milliseconds between);

  /// The next answer that is not 1xx, with its body.
  Message read(Kind kind = Kind::answer, Milliseconds timeout = kPatience);
  /// The next answer of any status, only its head.
  Message read_head(Milliseconds timeout = kPatience) { return reader_->read_head(timeout); }
  /// The body that belongs to that head.
  void read_body(Message& message, Kind kind = Kind::answer, Milliseconds timeout = kPatience) {
    reader_->read_body(message, kind, timeout);
  }
  /// Sends and reads.
  Message ask(std::string_view request, Kind kind = Kind::answer);
  /// A GET of `target`, with further field lines ("A: b\r\n") as given.
  Message get(const std::string& target = "/", const std::string& fields = "");

  /// Whether the gateway closes in time, without one byte more.
  bool closes(Milliseconds within = kPatience);
  /// Whether nothing comes and nothing closes for that long.
  bool stays_silent(Milliseconds during);
  /// Everything until the gateway closes or `timeout` passes without a byte.
  std::string read_to_end(Milliseconds timeout = kPatience);
  /// At least `bytes` bytes, or what came before the end.
  std::string read_bytes(std::size_t bytes, Milliseconds timeout = kPatience);

 private:
  // The reader keeps a pointer to the socket, so that both stay where they are when a client moves.
  std::unique_ptr<Socket> socket_;
  std::unique_ptr<MessageReader> reader_;
};

/// A request with a Host and the given field lines and body; Content-Length is the caller's.
std::string request(const std::string& method, const std::string& target, const std::string& fields = "",
                    const std::string& body = "");
/// The same with its Content-Length.
std::string request_with_body(const std::string& method, const std::string& target, const std::string& body,
                              const std::string& fields = "");

}  // namespace headgate::test
