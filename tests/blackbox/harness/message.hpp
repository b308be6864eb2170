#pragma once
// An HTTP/1.1 message as it came over the wire, read far more strictly than a tolerant peer would: what is not exactly
// right is an error in the message, which a test then shows.

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
  std::string head;        ///< exact bytes, with the empty line
  std::string start_line;  ///< without CRLF
  std::vector<Field> fields;
  std::string framed_body;  ///< exact bytes after the head
  std::string body;         ///< without chunk framing
  std::vector<Field> trailers;
  std::string error;  ///< why it is not whole and right; empty where it is

  bool ok() const { return error.empty(); }
  int status() const;          ///< of an answer; -1 where there is none
  std::string reason() const;  ///< of an answer
  std::string method() const;  ///< of a request
  std::string target() const;  ///< of a request
  std::size_t count(std::string_view name) const;
  bool has(std::string_view name) const { return count(name) > 0; }
  /// Of the first field of that name, or "".
  std::string value(std::string_view name) const;
  /// Of all fields of that name, joined with ", ".
  std::string all(std::string_view name) const;
  std::string trailer(std::string_view name) const;
};

/// What a reader looks at, and so how a body may be framed.
enum class Kind { request, answer, answer_to_head };

/// Reads messages off one socket, keeping what comes after the end of one for the next.
class MessageReader {
 public:
  explicit MessageReader(Socket& socket) : socket_(&socket) {}

  /// Only the head; the body is still to be read. 1xx answers are messages like all others here.
  Message read_head(Milliseconds timeout = kPatience);
  /// The rest of `message`, by its framing. `timeout` is for each wait; `arrived` hears of body bytes as they come.
  void read_body(Message& message, Kind kind, Milliseconds timeout = kPatience,
                 std::function<void(std::size_t)> arrived = {});
  /// Bytes that arrived and belong to no message yet.
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

bool same_name(std::string_view a, std::string_view b);  ///< as field names compare
std::string to_hex(std::string_view bytes);
std::string from_hex(std::string_view text);
/// Bytes that tell their place: a lost, doubled or swapped block shows.
std::string pattern(std::size_t bytes);
/// For the messages of failing assertions: control bytes shown, long text cut.
std::string visible(std::string_view bytes);

}  // namespace headgate::test
