#pragma once
// What moves a stream's bytes: the plain socket, or TLS over it. A call moves a block of bytes, never a single byte.

#include "headgate/core/result.hpp"

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace headgate::net {

/// Reads and writes a connected, non-blocking socket that a Stream owns. Never waits. Worker thread only; must not be
/// used after its stream was closed.
class Transport {
 public:
  /// Whether an edge reported that the peer has closed.
  enum class Ends : bool { no, yes };

  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Reads at least one byte, into at least one byte of room. Errors: would_block; eof after a proper end;
  /// connection_aborted if the peer closed without the end that its protocol requires; others.
  virtual Result<std::size_t> read(std::span<char> into) noexcept = 0;
  /// Writes some bytes of `pieces` and returns how many. An empty piece only sends what is held back. After would_block
  /// the next call must begin with the same bytes: they may be encrypted already.
  virtual Result<std::size_t> write(std::span<const iovec> pieces) noexcept = 0;
  /// Like read(), but drops up to `most` bytes of the socket, which the kernel does not copy. Nothing can be read
  /// properly afterwards.
  virtual Result<std::size_t> discard(std::size_t most) noexcept = 0;
  /// Whether there is nothing to read: no byte, no end, no error. Asks the kernel, because no edge may have come yet.
  virtual bool silent() noexcept = 0;
  /// Whether the peer has reset the connection. Reads nothing.
  virtual bool broken() noexcept = 0;
  /// Whether the peer has said that no more bytes follow: by a close, or by the message that the protocol has for it,
  /// if nothing unread comes before that one. May read ahead what it can keep.
  virtual bool sees_end() noexcept { return ends(); }
  /// Tells the peer that no more bytes follow, if the protocol has a message for that. Does not wait.
  virtual void send_end() noexcept = 0;
  /// Why it failed, in words, where the error code does not say it. Valid until the next call.
  virtual std::string_view reason() const noexcept { return {}; }

  /// What both sides agreed to speak (ALPN); empty: nothing was agreed on.
  virtual std::string_view protocol() const noexcept { return {}; }

  /// Whether a read may succeed: an edge came, or this object holds bytes for which no edge will come.
  bool readable() const noexcept { return at_hand_ != 0; }
  /// Whether the peer has closed the connection or its sending side. Bytes that it sent before may be unread yet.
  bool ends() const noexcept { return ends_; }
  /// Readiness reports an edge: bytes, or the end.
  void edge(Ends ends) noexcept {
    at_hand_ |= kSocket;
    ends_ = ends_ || ends == Ends::yes;
  }
  /// Takes over what `before` knew of the socket: an edge comes only once.
  void take_over(const Transport& before) noexcept {
    at_hand_ |= kSocket;
    ends_ = before.ends_;
  }

 protected:
  /// The result of a recv(2) that asked for `asked` bytes. Notes whether more may be there.
  Result<std::size_t> received(ssize_t count, std::size_t asked) noexcept;
  /// Notes whether this object holds bytes for which no edge will come.
  void held(bool now) noexcept { at_hand_ = static_cast<std::uint8_t>(now ? at_hand_ | kHeld : at_hand_ & ~kHeld); }

 private:
  static constexpr std::uint8_t kSocket = 1;  // the kernel may have bytes
  static constexpr std::uint8_t kHeld = 2;

  std::uint8_t at_hand_ = 0;
  bool ends_ = false;  // the peer has closed, so no more edges will come
};

/// The plain socket. Its functions are inline in net only (plain_transport.hpp).
class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(int descriptor) noexcept : descriptor_(descriptor) {}
  Result<std::size_t> read(std::span<char> into) noexcept override;
  Result<std::size_t> write(std::span<const iovec> pieces) noexcept override;
  Result<std::size_t> discard(std::size_t most) noexcept override;
  bool silent() noexcept override;
  bool broken() noexcept override;
  void send_end() noexcept override;

 private:
  int descriptor_;
};

}  // namespace headgate::net
