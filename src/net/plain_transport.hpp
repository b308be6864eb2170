#pragma once
// PlainTransport, inline because every request calls it. Reads and writes have the attribute always_inline, because
// otherwise the compiler's choice would depend on the rest of the file.

#include "socket.hpp"

#include "headgate/net/transport.hpp"

namespace headgate::net {

[[gnu::always_inline]] inline Result<std::size_t> Transport::received(ssize_t count, std::size_t asked) noexcept {
  if (count > 0) {
    // Fewer bytes than requested mean that no more bytes are there, and the edge-triggered set will report new ones.
    // This is not so if the peer has closed.
    if (!ends_ && static_cast<std::size_t>(count) < asked) at_hand_ &= static_cast<std::uint8_t>(~kSocket);
    return static_cast<std::size_t>(count);
  }
  if (count == 0) return error_code(boost::asio::error::eof);
  if (errno == EAGAIN || errno == EWOULDBLOCK) at_hand_ &= static_cast<std::uint8_t>(~kSocket);
  return socket::failure();
}

[[gnu::always_inline]] inline Result<std::size_t> PlainTransport::read(std::span<char> into) noexcept {
  return received(socket::receive(descriptor_, into), into.size());
}

inline Result<std::size_t> PlainTransport::discard(std::size_t most) noexcept {
  return received(socket::discard(descriptor_, most), most);
}

[[gnu::always_inline]] inline Result<std::size_t> PlainTransport::write(std::span<const iovec> pieces) noexcept {
  return socket::send(descriptor_, pieces);
}

inline bool PlainTransport::silent() noexcept { return socket::silent(descriptor_); }

inline bool PlainTransport::broken() noexcept { return socket::broken(descriptor_); }

inline void PlainTransport::send_end() noexcept {}

}  // namespace headgate::net
