#pragma once
// The layer that moves the bytes of a stream: the plain socket, or TLS over it. A call moves a block of bytes, never a
// single byte. Used by stream.

#include "headgate/core/result.hpp"

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace headgate::net {

/// The interface of a transport: reads and writes a connected, non-blocking socket that a Stream owns. Never waits.
/// Worker thread only; must not be used after its stream was closed.
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
  /// Writes some bytes of `pieces` and returns how many. An empty piece only sends bytes that are held back. After
  /// would_block the next call must begin with the same bytes, because they may be encrypted already.
  virtual Result<std::size_t> write(std::span<const iovec> pieces) noexcept = 0;
  /// Works like read(), but drops up to `most` bytes of the socket, which the kernel does not copy. Afterwards the
  /// bytes that follow cannot be read properly.
  virtual Result<std::size_t> discard(std::size_t most) noexcept = 0;
  /// Returns whether there is nothing to read: no byte, no end, no error. Asks the kernel, because an edge may not have
  /// come yet.
  virtual bool silent() noexcept = 0;
  /// Returns whether the peer has reset the connection. Reads nothing.
  virtual bool broken() noexcept = 0;
  /// Returns whether the peer has announced that no more bytes follow: by a close, or by its protocol's message, unless
  /// unread bytes precede that message. May read ahead as much as this object can keep.
  virtual bool sees_end() noexcept { return ends(); }
  /// Tells the peer that no more bytes follow, if the protocol has a message for that. Does not wait.
  virtual void send_end() noexcept = 0;
  /// Returns the reason of the failure in words, if the error code does not say it. Valid until the next call.
  virtual std::string_view reason() const noexcept { return {}; }

  /// Returns the protocol that both sides agreed on with ALPN; empty if none.
  virtual std::string_view protocol() const noexcept { return {}; }

  /// Returns whether a read may succeed: an edge came, or this object holds bytes for which no edge will come.
  bool readable() const noexcept { return at_hand_ != 0; }
  /// Returns whether the peer has closed the connection or its sending side. Bytes that it sent before may still be
  /// unread.
  bool ends() const noexcept { return ends_; }
  /// Records an edge that Readiness has found: bytes or the end.
  void edge(Ends ends) noexcept {
    at_hand_ |= kSocket;
    ends_ = ends_ || ends == Ends::yes;
  }
  /// Takes over the state of `before`, because an edge comes only once.
  void take_over(const Transport& before) noexcept {
    at_hand_ |= kSocket;
    ends_ = before.ends_;
  }

 protected:
  /// Converts the result of a recv(2) that asked for `asked` bytes, and records whether more bytes may be there.
  Result<std::size_t> received(ssize_t count, std::size_t asked) noexcept;
  /// Records whether this object holds bytes for which no edge will come.
  void held(bool now) noexcept { at_hand_ = static_cast<std::uint8_t>(now ? at_hand_ | kHeld : at_hand_ & ~kHeld); }

 private:
  static constexpr std::uint8_t kSocket = 1;  // the kernel may have bytes
  static constexpr std::uint8_t kHeld = 2;

  std::uint8_t at_hand_ = 0;
  bool ends_ = false;  // true if the peer has closed, so that no more edges come
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
