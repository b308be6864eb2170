#pragma once
// A blocking TCP connection over loopback with a timeout on everything: what RawClient and FakeUpstream speak through.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace headgate::test {

using Milliseconds = std::chrono::milliseconds;

/// How long anything that should happen may take before a test gives up on it. Never the length of a passing test.
inline constexpr Milliseconds kPatience{8000};
/// How long the fake upstream waits where only the gateway's own timeouts should end something: no test outlasts it, so
/// that none passes because the other side gave up.
inline constexpr Milliseconds kForever{10 * kPatience};

/// What a receive came back with.
enum class Got { bytes, end, reset, timeout };

/// Owns one socket. One thread at a time, but shut_down() may come from another.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) noexcept : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept;
  ~Socket() { close(); }

  /// A connection to `address`:`port`, leaving from `source` where one is given ("127.0.0.2" is another caller than
  /// "127.0.0.1"). Not open where it was refused or took longer than `timeout`.
  static Socket connect(std::uint16_t port, const std::string& address = "127.0.0.1", const std::string& source = "",
                        Milliseconds timeout = kPatience);
  /// A listening socket on a port of 127.0.0.1 that the system picks.
  static Socket listen(int backlog = 128);
  /// The next connection that comes to a listening socket; not open where none does within kPatience.
  Socket accept(Milliseconds timeout = kPatience) const;

  bool is_open() const noexcept { return fd_ >= 0; }
  int fd() const noexcept { return fd_; }
  std::uint16_t local_port() const;

  /// All of `bytes`; false where the peer is gone or takes nothing for `timeout`.
  bool send(std::string_view bytes, Milliseconds timeout = kForever);
  /// Whether less than all could be sent at once; how many bytes were. Never waits.
  std::size_t send_some(std::string_view bytes);
  /// Appends what arrives first, at most `most` bytes.
  Got receive(std::string& into, Milliseconds timeout = kPatience, std::size_t most = 65536);

  void finish_sending();  ///< half close
  void shut_down();       ///< both directions: wakes whoever waits in receive()
  void reset_on_close();  ///< the close to come is an RST
  void reset();           ///< closes with RST
  void close();
  void shrink_receive_buffer();  ///< so that a few kilobytes unread stop the sender

 private:
  int fd_ = -1;
};

}  // namespace headgate::test
