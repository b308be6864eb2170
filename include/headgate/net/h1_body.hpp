#pragma once
// HTTP/1.1 bodies on a stream: reads them in the framing of their head, writes them in the framing of the next hop.

#include "headgate/core/text_buffer.hpp"
#include "headgate/http/exchange_io.hpp"
#include "headgate/http/h1/chunked.hpp"
#include "headgate/http/h1/wire.hpp"
#include "headgate/net/read_buffer.hpp"

#include <functional>
#include <optional>

namespace headgate::net {

/// Reads one body after another from a ReadBuffer. Errors: those of the stream; bad_message for malformed framing;
/// message_size for more bytes than are accepted; eof if the body ends too early; too_slow() if it comes more slowly
/// than is demanded.
class H1Body final : public http::BodyReader {
 public:
  /// `timeout` bounds each wait for bytes. `input` outlives this object.
  H1Body(ReadBuffer& input, Duration timeout) noexcept : read_buffer_(&input), timeout_(timeout) {}
  /// Starts a new body; nothing of an earlier one remains.
  void begin(const http::h1::WireFraming& framing);
  void timeout(Duration timeout) noexcept { timeout_ = timeout; }
  /// Its sender must keep the pace that `rule` says whenever a read waits. The rule's owner outlives this object.
  void demand_pace(PaceRule rule) noexcept { rule_ = rule; }
  /// `action(owner)` runs once, before the first wait: it sends 100 Continue to a client that waits for it.
  using BeforeWait = Task<Result<void>> (*)(void* owner);
  void before_wait(BeforeWait action, void* owner) noexcept;

  bool take_at_most(std::uint64_t most) noexcept override;
  Result<std::string_view> ready() override;
  Task<Result<std::string_view>> read() override;
  bool ended() const noexcept override { return ended_; }
  void cancel() noexcept override { read_buffer_->stream().interrupt_read(); }
  const http::Fields& trailers() const noexcept override;
  /// How many bytes of it may still come: 0 if it is over or malformed.
  std::uint64_t most_left() const noexcept;
  /// Whether the body was read to its end and the connection can carry another message after it.
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
  std::uint64_t received_ = 0;  // bytes of bodies that were waited for
  BeforeWait before_wait_ = nullptr;
  void* owner_ = nullptr;
};

/// Writes heads and bodies. It must stay where it is until each write was awaited.
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
  /// Writes the end of the body, with the trailers if it is chunked. `room` holds the bytes until the write is done.
  Stream::WriteAll finish(const http::Fields& trailers, TextBuffer& room, Duration timeout);
  std::uint64_t bytes() const noexcept { return bytes_; }  ///< bytes given to write so far, heads and framing included
  Stream& stream() noexcept { return *stream_; }

 private:
  Stream* stream_;
  bool chunked_ = false;
  char line_[20] = {};
  std::uint64_t bytes_ = 0;
};

}  // namespace headgate::net
