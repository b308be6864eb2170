#pragma once
// An HTTP/1.1 server that does what the request tells it to, valid or not, and records every byte it receives.
// clang-format off
//
//   X-Test-Status: 404          the status of the answer
//   X-Test-Reason: Gone Fishing its reason
//   X-Test-Field: N: v          a further field (repeatable)
//   X-Test-Bytes: 1000          a body of that many bytes
//   X-Test-Echo: 1              the body of the request as the body of the answer
//   X-Test-Chunked: 512         the body in chunks of that size
//   X-Test-Chunk-Extension: a=b an extension of each chunk
//   X-Test-Trailer: N: v        a trailer after the chunks
//   X-Test-No-Length: 1         the close ends the body, as in HTTP/1.0
//   X-Test-Close: 1             close after the answer
//   X-Test-Connection: close    that Connection field, with X-Test-Close
//   X-Test-Delay-Ms: 100        wait before the answer
//   X-Test-Piece-Delay-Ms: 20   ten pieces, with a wait between them
//   X-Test-Hold: 1              answer only after release()
//   X-Test-Stall: 1             half the body, the rest after release()
//   X-Test-Reset: 1             RST instead of an answer
//   X-Test-Reset-If-Reused: 1   RST, unless it is the first request of the connection
//   X-Test-Cut: 1               close after half the body
//   X-Test-Never: 1             no answer until the gateway gives up
//   X-Test-Interim: 103         that interim answer first
//   X-Test-Early: 1             answer without reading the body, then close
//   X-Test-Raw: HEX             exactly these bytes as the answer
//   X-Test-After: HEX           these bytes 20 ms after the answer
//   X-Test-No-Continue: 1       read the body without sending 100 Continue
//   Upgrade: x                  101; then every byte is sent back until the sender ends; then "bye N" (bytes) and a close;
//                               with X-Test-Reset RST after the first byte
//   X-Test-Accept: x            the Sec-WebSocket-Accept of that 101; else the right one, if there is a key
//
// clang-format on

#include "blackbox/harness/message.hpp"
#include "blackbox/harness/socket.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace headgate::test {

/// One request as it was received.
struct Seen {
  Message message;             ///< `body` is valid when `whole` is true
  bool whole = false;          ///< whether it was read to its end without an error
  std::size_t connection = 0;  ///< counted from 1, in the order of arrival
};

/// Listens on 127.0.0.1, with one thread for each connection. The public functions may be called from the thread of the
/// test.
class FakeUpstream {
 public:
  /// On a free port unless one is given.
  explicit FakeUpstream(std::uint16_t port = 0);
  FakeUpstream(const FakeUpstream&) = delete;
  FakeUpstream& operator=(const FakeUpstream&) = delete;
  ~FakeUpstream();

  std::uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  std::vector<Seen> requests() const;
  Seen last() const;  ///< the last of requests(); an empty one if there is none
  std::size_t request_count() const { return requests().size(); }
  std::size_t connections() const;  ///< connections accepted so far
  std::size_t closed() const;       ///< of these, those that the gateway or this server has closed
  std::size_t body_bytes() const { return body_bytes_; }
  std::string complaints() const;  ///< what was malformed; empty if nothing was

  /// They wait until it is so. False if it is not within kPatience.
  bool wait_for_requests(std::size_t whole);
  bool wait_for_heads(std::size_t count);
  bool wait_for_closed(std::size_t count);
  bool wait_for_body_bytes(std::size_t count);

  /// Continues everything that X-Test-Hold and X-Test-Stall stopped, now and later.
  void release();
  /// Answers the next `requests` as if they had these fields as well: {"X-Test-Status", "503"}.
  void answer_next(std::size_t requests, std::vector<Field> fields);
  /// Closes all connections, as a server does that restarts. Accepts new ones.
  void drop_connections();

 private:
  struct Connection;

  void accept_all();
  void serve(Connection& connection);
  bool serve_one(Connection& connection, MessageReader& reader);
  std::size_t note(const Message& head, std::size_t connection, const std::string& ahead);
  void take_body(MessageReader& reader, std::size_t index, Message message);
  Seen seen(std::size_t index) const;
  Message with_own_fields(Message request);
  bool wait_until(const std::function<bool()>& holds, Milliseconds timeout = kPatience);
  bool wait_released();
  void tunnel(Connection& connection, MessageReader& reader, const Message& request);

  Socket listener_;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Seen> seen_;
  std::list<Connection> open_;
  std::size_t accepted_ = 0;
  std::size_t closed_ = 0;
  std::atomic<std::size_t> body_bytes_ = 0;
  std::string complaints_;
  bool released_ = false;
  std::size_t changed_answers_ = 0;  ///< how many requests are answered with own_fields_
  std::vector<Field> own_fields_;
  std::atomic<bool> stopping_ = false;
  std::thread acceptor_;
};

}  // namespace headgate::test
