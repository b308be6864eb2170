#pragma once
// HTTP/1.1 bodies on a stream: reads them in the framing of their head, and writes them in the framing of the next hop.
// Used by session and upstream.

#include "headgate/core/text_buffer.hpp"
#include "headgate/http/exchange_io.hpp"
#include "headgate/http/h1/chunked.hpp"
#include "headgate/http/h1/wire.hpp"
#include "headgate/net/read_buffer.hpp"

#include <functional>
#include <optional>

namespace headgate::net {

/// Reads the bodies of a connection, one after another, from a ReadBuffer. Errors: those of the stream; bad_message for
/// malformed framing; message_size if a body has more bytes than accepted; eof if a body ends too early; too_slow() if
/// a body arrives below the minimum pace.
class H1Body final : public http::BodyReader {
 public:
  /// `timeout` bounds each wait for bytes. `input` outlives this object.
  H1Body(ReadBuffer& input, Duration timeout) noexcept : read_buffer_(&input), timeout_(timeout) {}
  /// Starts a new body; nothing of an earlier one remains.
  void begin(const http::h1::WireFraming& framing);
  void timeout(Duration timeout) noexcept { timeout_ = timeout; }
  /// Requires that the sender keeps the pace of `rule` while a read waits for it. The owner of the rule outlives this
  /// object.
  void demand_pace(PaceRule rule) noexcept { rule_ = rule; }
  /// Sets a function that runs once, before the first wait, and sends 100 Continue to a client that waits for it.
  using BeforeWait = Task<Result<void>> (*)(void* owner);
  void before_wait(BeforeWait action, void* owner) noexcept;

  bool take_at_most(std::uint64_t most) noexcept override;
  Result<std::string_view> ready() override;
  Task<Result<std::string_view>> read() override;
  bool ended() const noexcept override { return ended_; }
  void cancel() noexcept override { read_buffer_->stream().interrupt_read(); }
  const http::Fields& trailers() const noexcept override;
  /// Returns how many bytes of the body may still come; 0 if the body has ended or is malformed.
  std::uint64_t most_left() const noexcept;
  /// Returns whether the body was read to its end and the connection can carry another message.
  bool clean() const noexcept { return ended_ && framing_.kind != http::h1::WireFraming::Kind::until_close; }

 private:
  Result<std::string_view> take();
  Result<std::string_view> take_chunks();

  ReadBuffer* read_buffer_;
  Duration timeout_;
  http::h1::WireFraming framing_;
  std::uint64_t left_ = 0;
  bool ended_ = true;
  error_code broken_;  // the error of malformed framing
  http::h1::ChunkReader chunks_;
  PaceRule rule_;
  PaceWatch pace_;
  std::uint64_t received_ = 0;  // number of body bytes for which a read had to wait
  BeforeWait before_wait_ = nullptr;
  void* owner_ = nullptr;
};

/// The writer of heads and bodies. The writer must not move until each write was awaited.
class H1Output {
 public:
  explicit H1Output(Stream& stream) noexcept : stream_(&stream) {}
  /// Starts a new body: with chunked framing, or as plain bytes.
  void begin(bool chunked) noexcept { chunked_ = chunked; }
  /// Writes the head and the first bytes with one system call.
  Stream::WriteAll send(std::string_view head, std::string_view bytes, http::EndStream last, Duration timeout) noexcept;
  Stream::WriteAll write(std::string_view bytes, http::EndStream last, Duration timeout) noexcept {
    return send({}, bytes, last, timeout);
  }
  /// Writes the end of the body, with the trailers if the body is chunked. `room` holds the bytes until the write is
  /// done.
  Stream::WriteAll finish(const http::Fields& trailers, TextBuffer& room, Duration timeout);
  /// Returns the number of bytes passed to writes so far, including heads and framing.
  std::uint64_t bytes() const noexcept { return bytes_; }
  Stream& stream() noexcept { return *stream_; }

 private:
  Stream* stream_;
  bool chunked_ = false;
  char line_[20] = {};
  std::uint64_t bytes_ = 0;
};

}  // namespace headgate::net
