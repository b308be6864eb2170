#pragma once
// What carries a stream's bytes: the socket as it is, or TLS over it. One call moves a block of bytes, never one byte.

#include "headgate/core/result.hpp"

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace headgate::net {

/// Bytes to and from a connected, non-blocking socket that a Stream owns. Nothing here waits. Worker thread only; lives
/// no longer than its stream's descriptor is open.
class Transport {
 public:
  /// Whether the peer's end is among what an edge told of.
  enum class Ends : bool { no, yes };

  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Takes at least one byte of what is there, into at least one byte of room. Errors: would_block; eof where the peer
  /// said that nothing more comes; connection_aborted where it ended without saying so though it had to; others.
  virtual Result<std::size_t> read(std::span<char> into) noexcept = 0;
  /// Hands the kernel some bytes of `pieces`, and says how many; an empty piece asks only that what is owed leaves. On
  /// would_block the next call must begin with the same bytes: they may have been made something else already.
  virtual Result<std::size_t> write(std::span<const iovec> pieces) noexcept = 0;
  /// As read(), but throws away what is there, up to `most` bytes of the socket's: the kernel copies none of them. What
  /// is read afterwards means nothing any more.
  virtual Result<std::size_t> discard(std::size_t most) noexcept = 0;
  /// Whether nothing is there to be read: no byte, no end, no error. Asks the kernel, for no edge may have told yet.
  virtual bool silent() noexcept = 0;
  /// Whether the peer has reset the connection; what it sent stays unread.
  virtual bool broken() noexcept = 0;
  /// Tells the peer, where the protocol has a word for it, that nothing more will come. Does not wait.
  virtual void say_end() noexcept = 0;
  /// Why it failed, in words, where error codes do not tell. Valid until the next call.
  virtual std::string_view reason() const noexcept { return {}; }

  /// Whether a read may find something: an edge came, or bytes lie here that no edge will tell of.
  bool readable() const noexcept { return at_hand_ != 0; }
  /// The descriptor's edge-triggered set tells of bytes, or of an end.
  void edge(Ends ends) noexcept {
    at_hand_ |= kSocket;
    ends_ = ends_ || ends == Ends::yes;
  }
  /// What `before` knew of the socket: the edges that it was told of come only once.
  void take_over(const Transport& before) noexcept {
    at_hand_ |= kSocket;
    ends_ = before.ends_;
  }

 protected:
  /// What recv(2) said when asked for so many bytes.
  Result<std::size_t> received(ssize_t count, std::size_t asked) noexcept;
  /// Whether bytes lie here that no edge will tell of.
  void held(bool now) noexcept { at_hand_ = static_cast<std::uint8_t>(now ? at_hand_ | kHeld : at_hand_ & ~kHeld); }

 private:
  static constexpr std::uint8_t kSocket = 1;  // the kernel may have bytes
  static constexpr std::uint8_t kHeld = 2;

  std::uint8_t at_hand_ = 0;
  bool ends_ = false;  // the peer has said its last, so no further edge will come
};

/// The socket's bytes as they are. Defined where net alone sees it.
class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(int descriptor) noexcept : descriptor_(descriptor) {}
  Result<std::size_t> read(std::span<char> into) noexcept override;
  Result<std::size_t> write(std::span<const iovec> pieces) noexcept override;
  Result<std::size_t> discard(std::size_t most) noexcept override;
  bool silent() noexcept override;
  bool broken() noexcept override;
  void say_end() noexcept override;

 private:
  int descriptor_;
};

}  // namespace headgate::net
