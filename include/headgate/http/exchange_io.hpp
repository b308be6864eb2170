#pragma once
// The interface between a protocol of client connections (session implements it) and the request path in gateway: a
// body to read and a reply to write. The path writes each piece of a body before it reads the next one, so a slow
// receiver slows the sender (back-pressure).

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"
#include "headgate/http/head.hpp"

#include <cstdint>
#include <string_view>

namespace headgate::http {

/// The body of a request or reply while it is received. Worker thread only; lives as long as its exchange.
class BodyReader {
 public:
  virtual ~BodyReader() = default;
  /// Sets the size of the largest body that is accepted, in bytes. Call it before the first read. Returns false if the
  /// head announces a larger body. If the size of a chunk shows that the body is larger, the read fails at once with
  /// message_size.
  [[nodiscard]] virtual bool take_at_most(std::uint64_t most) noexcept = 0;
  /// Takes the bytes that have arrived, without waiting. May return an empty view. The view is valid until the next
  /// call. Errors are those of read().
  virtual Result<std::string_view> ready() = 0;
  /// Waits for more bytes. Returns a view that is valid until the next call; at the end of the body, the view is empty.
  /// Do not call it after an error.
  virtual Task<Result<std::string_view>> read() = 0;
  /// Returns whether all bytes of the body were returned. A body of length 0 has ended from the start.
  virtual bool ended() const noexcept = 0;
  /// Wakes a waiting read with operation_aborted.
  virtual void cancel() noexcept = 0;
  /// Returns the trailer fields. Valid after the body has ended.
  virtual const Fields& trailers() const noexcept = 0;
};

enum class EndStream : bool { no, yes };

/// The head of a reply. The codec adds the framing fields and Connection; the path has removed all other hop-by-hop
/// fields.
struct ReplyStart {
  unsigned status = 200;
  std::string_view reason{};  ///< reason phrase; empty for the standard reason of the status
  const Fields* fields = nullptr;
  Framing framing{};  ///< framing of the body after this head
  /// The trailers that follow the first bytes, if they are known already; they may be sent with the head, and stay
  /// valid until finish() was called with them. Null if they are not known yet or there are none.
  const Fields* trailers = nullptr;
};

/// The writer of the answer to one request: any number of interim answers, then at most one reply. Worker thread only.
class ReplyWriter {
 public:
  virtual ~ReplyWriter() = default;
  /// Writes an interim answer (100, 102, 103). Writes nothing to a client that uses HTTP/1.0, because that version has
  /// no interim answers.
  virtual Task<Result<void>> interim(const ReplyStart& start) = 0;
  /// Writes the head and the first bytes of the body with one system call. `last` tells that no more bytes and no
  /// trailers follow.
  virtual Task<Result<void>> send(const ReplyStart& start, std::string_view first, EndStream last) = 0;
  /// Writes more of the body. `bytes` stay valid until the task is done.
  virtual Task<Result<void>> write(std::string_view bytes, EndStream last) = 0;
  /// Ends the body if the last write did not. In a tunnel no more bytes go to the client.
  virtual Task<Result<void>> finish(const Fields& trailers) = 0;
  /// Switches to a tunnel; call it after send() of a 101. Both directions then carry plain bytes: the body of the
  /// exchange reads them, and write() writes them. `timeout` bounds each wait.
  virtual void tunnel(Duration timeout) = 0;
  /// Returns whether send() was called. After it, a failure can only be shown by closing the connection.
  virtual bool started() const noexcept = 0;
  /// Returns the number of bytes written so far, including heads and framing.
  virtual std::uint64_t bytes_sent() const noexcept = 0;
};

}  // namespace headgate::http
