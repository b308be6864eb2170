#pragma once
// The system calls on sockets, used by all transports.

#include "headgate/core/result.hpp"
#include "headgate/core/sanitized.hpp"

#include <boost/asio/error.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace headgate::net::socket {

/// Returns the error_code for errno after a failed call.
inline error_code failure() noexcept {
  if (errno == EAGAIN || errno == EWOULDBLOCK) return boost::asio::error::would_block;
  return {errno, boost::system::system_category()};
}

// Whether to use recv(2) and sendmsg(2) of the C library, which sanitizers observe. They are not used otherwise: in a
// process with several threads they are cancellation points, which costs 31 instructions per call, and no thread of the
// gateway is ever cancelled.
inline constexpr bool kWatched = kAddressSanitized || kThreadSanitized;

inline ssize_t call_recv(int descriptor, void* into, std::size_t size, int flags) noexcept {
  if constexpr (kWatched) return ::recv(descriptor, into, size, flags);
  return ::syscall(SYS_recvfrom, descriptor, into, size, flags, nullptr, nullptr);
}

inline ssize_t call_sendmsg(int descriptor, const msghdr& message, int flags) noexcept {
  if constexpr (kWatched) return ::sendmsg(descriptor, &message, flags);
  return ::syscall(SYS_sendmsg, descriptor, &message, flags);
}

/// Calls recv(2), repeated after EINTR.
inline ssize_t receive(int descriptor, std::span<char> into) noexcept {
  while (true) {
    const auto count = call_recv(descriptor, into.data(), into.size(), 0);
    if (count >= 0 || errno != EINTR) return count;
  }
}

/// Calls sendmsg(2), repeated after EINTR.
inline Result<std::size_t> send(int descriptor, std::span<const iovec> pieces) noexcept {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(pieces.data());
  message.msg_iovlen = pieces.size();
  while (true) {
    const auto sent = call_sendmsg(descriptor, message, MSG_NOSIGNAL);
    if (sent >= 0) return static_cast<std::size_t>(sent);
    if (errno != EINTR) return failure();
  }
}

/// Accepts a waiting connection as a non-blocking socket. Returns the result of accept4(2).
inline int accept(int listener) noexcept {
  while (true) {
    const int descriptor = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor >= 0 || errno != EINTR) return descriptor;
  }
}

/// Drops up to `most` bytes. Returns the result of recv(2).
inline ssize_t discard(int descriptor, std::size_t most) noexcept {
  while (true) {
    // With MSG_TRUNC the kernel drops the bytes (tcp(7)). A raw system call is used because a sanitizer would expect
    // recv() to fill the buffer.
    const auto count = ::syscall(SYS_recvfrom, descriptor, nullptr, most, MSG_TRUNC, nullptr, nullptr);
    if (count >= 0 || errno != EINTR) return count;
  }
}

/// Calls recv(2) for one byte, which stays in the socket.
inline ssize_t peek(int descriptor) noexcept {
  char byte = 0;
  return call_recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
}

/// Returns whether there is nothing to read: no byte, no end, no error.
inline bool silent(int descriptor) noexcept {
  return peek(descriptor) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

/// Returns whether the connection has failed.
inline bool broken(int descriptor) noexcept {
  const auto got = peek(descriptor);
  if (got != 0) return got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
  // After the peer's end of stream, every read returns 0. A reset can still be found in SO_ERROR.
  int why = 0;
  socklen_t size = sizeof why;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &why, &size) == 0 && why != 0;
}

/// Returns the number of bytes that the peer has acknowledged on this connection; empty if the kernel does not report
/// it.
inline std::optional<std::uint64_t> acknowledged(int descriptor) noexcept {
  // Offset of tcpi_bytes_acked in Linux's struct tcp_info. The struct of the C library lacks this member, and its
  // header cannot be included together with Linux's.
  constexpr std::size_t kAt = 120;
  std::array<char, kAt + sizeof(std::uint64_t)> info{};
  socklen_t size = info.size();
  if (::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, info.data(), &size) != 0 || size < info.size())
    return std::nullopt;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, info.data() + kAt, sizeof bytes);
  return bytes;
}

}  // namespace headgate::net::socket
