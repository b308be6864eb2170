#pragma once
// The seam between a codec (HTTP/1.1 now, HTTP/2 next) and the path: a body to pull and a reply to write.
// Bodies are pulled and a chunk read is a chunk written, so back-pressure is the call itself.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"
#include "headgate/http/head.hpp"

#include <cstdint>
#include <string_view>

namespace headgate::http {

/// A body being received, of a request or of a reply. Worker thread only; lives as long as its exchange.
class BodyReader {
 public:
  virtual ~BodyReader() = default;
  /// Takes no more than `most` bytes; to be said before the first one is had. False where more is announced already.
  /// Where more is announced later (a chunk's size, with those before it), reading fails with message_size at once.
  [[nodiscard]] virtual bool take_at_most(std::uint64_t most) noexcept = 0;
  /// Bytes that have arrived and can be had without waiting; may be empty. Takes them.
  virtual Result<std::string_view> ready() = 0;
  /// Waits for more. A view valid until the next call; empty when the body has ended. Not after an error.
  virtual Task<Result<std::string_view>> read() = 0;
  /// Whether every byte of the body has been handed out (known at once for a body with a length).
  virtual bool ended() const noexcept = 0;
  /// Wakes a waiting read with operation_aborted.
  virtual void cancel() noexcept = 0;
  /// Trailer fields, after the end.
  virtual const Fields& trailers() const noexcept = 0;
};

enum class EndStream : bool { no, yes };

/// What a reply is made of, besides its body. The codec adds framing and Connection; the path has removed what was the
/// hop's own.
struct ReplyStart {
  unsigned status = 200;
  std::string_view reason;  ///< empty: the standard one
  const Fields* fields = nullptr;
  Framing framing;  ///< of the body that follows
};

/// The answer to one request, written. Worker thread only. At most one reply; any number of interim answers before it.
class ReplyWriter {
 public:
  virtual ~ReplyWriter() = default;
  /// An interim answer (100, 102, 103). Left out where the client's version knows none.
  virtual Task<Result<void>> interim(const ReplyStart& start) = 0;
  /// Head and first bytes leave in one gathered write. `last` where no more bytes and no trailers follow.
  virtual Task<Result<void>> send(const ReplyStart& start, std::string_view first, EndStream last) = 0;
  virtual Task<Result<void>> write(std::string_view bytes, EndStream last) = 0;
  /// Ends a body whose end was not said with its last bytes. In a tunnel: no more bytes will follow this way.
  virtual Task<Result<void>> finish(const Fields& trailers) = 0;
  /// After send() of a 101: both ways are bytes from here on, read through the exchange's body, written by write().
  virtual void tunnel(Duration timeout) = 0;
  /// Whether send() was called: from then on a failure can only be told by breaking off.
  virtual bool started() const noexcept = 0;
  virtual std::uint64_t bytes_sent() const noexcept = 0;
};

}  // namespace headgate::http
