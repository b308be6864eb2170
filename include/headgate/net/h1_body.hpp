#pragma once
// HTTP/1.1 bodies on a stream, both ways: read as their framing says, written as the next hop's says.

#include "headgate/http/exchange_io.hpp"
#include "headgate/http/h1/chunked.hpp"
#include "headgate/net/read_buffer.hpp"

#include <functional>
#include <optional>

namespace headgate::net {

/// Reads one body from a ReadBuffer. Errors: of the stream; bad_message where the framing is broken; message_size
/// where more is announced than is taken; eof where it ends too soon.
class H1Body final : public http::BodyReader {
 public:
  H1Body(ReadBuffer& input, Duration timeout) noexcept : read_buffer_(&input), timeout_(timeout) {}
  /// Starts on a new body; what an earlier one said is forgotten.
  void begin(const http::Framing& framing);
  void timeout(Duration timeout) noexcept { timeout_ = timeout; }
  /// Called once before the first wait: for a client that waits for 100 Continue.
  using BeforeWait = Task<Result<void>> (*)(void* owner);
  void before_wait(BeforeWait action, void* owner) noexcept;

  bool take_at_most(std::uint64_t most) noexcept override;
  Result<std::string_view> ready() override;
  Task<Result<std::string_view>> read() override;
  bool ended() const noexcept override { return ended_; }
  void cancel() noexcept override { read_buffer_->stream().interrupt_read(); }
  const http::Fields& trailers() const noexcept override;
  /// Whether everything is read and the connection stands right behind it.
  bool clean() const noexcept { return ended_ && framing_.kind != http::Framing::Kind::until_close; }

 private:
  Result<std::string_view> take();
  Result<std::string_view> take_chunks();

  ReadBuffer* read_buffer_;
  Duration timeout_;
  http::Framing framing_;
  std::uint64_t left_ = 0;
  bool ended_ = true;
  error_code broken_;  // of the framing
  http::h1::ChunkReader chunks_;
  BeforeWait before_wait_ = nullptr;
  void* owner_ = nullptr;
};

/// Writes one body behind its head. Keep it where it is until what it returned was awaited.
class H1Output {
 public:
  explicit H1Output(Stream& stream) noexcept : stream_(&stream) {}
  /// `chunked`: frame it so; else bytes go as they are.
  void begin(bool chunked) noexcept { chunked_ = chunked; }
  /// Head and first bytes, in one gathered write.
  Stream::WriteAll send(std::string_view head, std::string_view bytes, http::EndStream last, Duration timeout) noexcept;
  Stream::WriteAll write(std::string_view bytes, http::EndStream last, Duration timeout) noexcept {
    return send({}, bytes, last, timeout);
  }
  /// The end, with trailers where the framing has room for them. Takes a few bytes of `scratch`.
  Stream::WriteAll finish(const http::Fields& trailers, std::string& scratch, Duration timeout);
  std::uint64_t bytes() const noexcept { return bytes_; }  ///< handed to write so far, heads and framing included
  Stream& stream() noexcept { return *stream_; }

 private:
  Stream* stream_;
  bool chunked_ = false;
  char line_[20] = {};
  std::uint64_t bytes_ = 0;
};

}  // namespace headgate::net
