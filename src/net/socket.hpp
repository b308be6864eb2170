#pragma once
// The system calls that move a socket's bytes, once for all transports.

#include "headgate/core/result.hpp"

#include <boost/asio/error.hpp>

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>

namespace headgate::net::socket {

/// errno as a call that failed left it.
inline error_code failure() noexcept {
  if (errno == EAGAIN || errno == EWOULDBLOCK) return boost::asio::error::would_block;
  return {errno, boost::system::system_category()};
}

/// As recv(2), but not interrupted.
inline ssize_t receive(int descriptor, std::span<char> into) noexcept {
  while (true) {
    const auto count = ::recv(descriptor, into.data(), into.size(), 0);
    if (count >= 0 || errno != EINTR) return count;
  }
}

inline Result<std::size_t> send(int descriptor, std::span<const iovec> pieces) noexcept {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(pieces.data());
  message.msg_iovlen = pieces.size();
  while (true) {
    const auto sent = ::sendmsg(descriptor, &message, MSG_NOSIGNAL);
    if (sent >= 0) return static_cast<std::size_t>(sent);
    if (errno != EINTR) return failure();
  }
}

/// Throws away what is there, up to `most` bytes; the answer is recv(2)'s.
inline ssize_t discard(int descriptor, std::size_t most) noexcept {
  while (true) {
    // tcp(7): with MSG_TRUNC bytes are thrown away, not handed over. Not recv(): a sanitizer would look for them in the
    // buffer.
    const auto count = ::syscall(SYS_recvfrom, descriptor, nullptr, most, MSG_TRUNC, nullptr, nullptr);
    if (count >= 0 || errno != EINTR) return count;
  }
}

/// What recv(2) would say of one byte, which stays.
inline ssize_t peek(int descriptor) noexcept {
  char byte = 0;
  return ::recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
}

/// Whether nothing is there: no byte, no end, no error.
inline bool silent(int descriptor) noexcept {
  return peek(descriptor) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

/// Whether the next read would be told of an error.
inline bool broken(int descriptor) noexcept {
  return peek(descriptor) < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
}

}  // namespace headgate::net::socket
