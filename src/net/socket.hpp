#pragma once
// The system calls on sockets, for all transports.

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

/// The error_code for errno after a failed call.
inline error_code failure() noexcept {
  if (errno == EAGAIN || errno == EWOULDBLOCK) return boost::asio::error::would_block;
  return {errno, boost::system::system_category()};
}

/// recv(2), repeated after EINTR.
inline ssize_t receive(int descriptor, std::span<char> into) noexcept {
  while (true) {
    const auto count = ::recv(descriptor, into.data(), into.size(), 0);
    if (count >= 0 || errno != EINTR) return count;
  }
}

/// sendmsg(2), repeated after EINTR.
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

/// Drops up to `most` bytes. Returns what recv(2) returns.
inline ssize_t discard(int descriptor, std::size_t most) noexcept {
  while (true) {
    // With MSG_TRUNC the kernel drops the bytes (tcp(7)). A raw system call, because a sanitizer would expect recv() to
    // fill the buffer.
    const auto count = ::syscall(SYS_recvfrom, descriptor, nullptr, most, MSG_TRUNC, nullptr, nullptr);
    if (count >= 0 || errno != EINTR) return count;
  }
}

/// recv(2) of one byte, which stays in the socket.
inline ssize_t peek(int descriptor) noexcept {
  char byte = 0;
  return ::recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
}

/// Whether there is nothing to read: no byte, no end, no error.
inline bool silent(int descriptor) noexcept {
  return peek(descriptor) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

/// Whether the next read would return an error.
inline bool broken(int descriptor) noexcept {
  return peek(descriptor) < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
}

}  // namespace headgate::net::socket
