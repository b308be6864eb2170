#pragma once
// An HTTP/1.1 message as it was received. The parser is much stricter than a tolerant peer: everything that is not
// exactly right becomes the error of the message, which the test shows.

#include "blackbox/harness/socket.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::test {

struct Field {
  std::string name;  ///< as sent
  std::string value;
};

struct Message {
  std::string head;        ///< the exact bytes, with the empty line
  std::string start_line;  ///< without CRLF
  std::vector<Field> fields;
  std::string framed_body;  ///< the exact bytes after the head
  std::string body;         ///< without chunk framing
  std::vector<Field> trailers;
  std::string error;  ///< why it is incomplete or malformed; else empty

  bool ok() const { return error.empty(); }
  int status() const;          ///< of an answer; -1 if there is none
  std::string reason() const;  ///< of an answer
  std::string method() const;  ///< of a request
  std::string target() const;  ///< of a request
  std::size_t count(std::string_view name) const;
  bool has(std::string_view name) const { return count(name) > 0; }
  /// The value of the first field of that name, or "".
  std::string value(std::string_view name) const;
  /// The values of all fields of that name, joined with ", ".
  std::string all(std::string_view name) const;
  std::string trailer(std::string_view name) const;
};

/// What a reader reads. It decides how a body may be framed.
enum class Kind { request, answer, answer_to_head };

/// Reads messages from one socket. Bytes after the end of a message belong to the next.
class MessageReader {
 public:
  explicit MessageReader(Socket& socket) : socket_(&socket) {}

  /// Reads only the head. An interim answer is a message like any other here.
  Message read_head(Milliseconds timeout = kPatience);
  /// Reads the body of `message` by its framing. `timeout` is for each wait; `arrived` gets the bytes of the body as
  /// they arrive.
  void read_body(Message& message, Kind kind, Milliseconds timeout = kPatience,
                 std::function<void(std::size_t)> arrived = {});
  /// Bytes received that belong to no message yet.
  std::string& ahead() { return ahead_; }

 private:
  bool more(Message& message, Milliseconds timeout);
  bool read_line(Message& message, std::string& line, Milliseconds timeout);
  bool read_exactly(Message& message, std::size_t bytes, Milliseconds timeout);
  void read_chunks(Message& message, Milliseconds timeout);
  void read_until_close(Message& message, Milliseconds timeout);

  Socket* socket_;
  std::string ahead_;
  std::function<void(std::size_t)> arrived_;
};

bool same_name(std::string_view a, std::string_view b);  ///< compares names of fields
std::string to_hex(std::string_view bytes);
std::string from_hex(std::string_view text);
/// Bytes that depend on their position: a lost, doubled or swapped block is detected.
std::string pattern(std::size_t bytes);
/// A text for messages of failed assertions: control characters are shown, long text is cut.
std::string visible(std::string_view bytes);

}  // namespace headgate::test
