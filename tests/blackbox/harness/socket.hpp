#pragma once
// A blocking TCP connection over loopback. Every operation has a timeout. RawClient and FakeUpstream use it.

#include "blackbox/harness/tls_client.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace headgate::test {

using Milliseconds = std::chrono::milliseconds;

/// How long a test waits for something that must happen. No passing test waits that long.
inline constexpr Milliseconds kPatience{20000};
/// How long the fake upstream waits where only a timeout of the gateway may end something. Longer than any test, so
/// that no test passes because the upstream gave up.
inline constexpr Milliseconds kForever{4 * kPatience};

/// The result of a receive.
enum class Got { bytes, end, reset, timeout };

/// Owns one socket. One thread at a time, but any thread may call shut_down().
class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) noexcept : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)), tls_(std::move(other.tls_)) {}
  Socket& operator=(Socket&& other) noexcept;
  ~Socket() { close(); }

  /// A connection to `address`:`port`. With `source` it comes from that address ("127.0.0.2" is another caller than
  /// "127.0.0.1"). Not open if it was refused or took longer than `timeout`.
  static Socket connect(std::uint16_t port, const std::string& address = "127.0.0.1", const std::string& source = "",
                        Milliseconds timeout = kPatience);
  /// A listening socket on 127.0.0.1, on a free port unless one is given.
  static Socket listen(int backlog = 128, std::uint16_t port = 0);
  /// The next connection of a listening socket; not open if none comes within kPatience.
  Socket accept(Milliseconds timeout = kPatience) const;

  /// Uses TLS from now on, as a client. False if there is no agreement; the reason is tls()->why().
  bool secure(const TlsOffer& offer = {}, Milliseconds timeout = kPatience);
  TlsClient* tls() const noexcept { return tls_.get(); }

  bool is_open() const noexcept { return fd_ >= 0; }
  int fd() const noexcept { return fd_; }
  std::uint16_t local_port() const;

  /// Sends all of `bytes`. False if the peer is gone or accepts nothing for `timeout`.
  bool send(std::string_view bytes, Milliseconds timeout = kForever);
  /// Sends what it can without waiting. Returns whether less than all was sent, and how many bytes.
  std::size_t send_some(std::string_view bytes);
  /// Appends the next bytes, at most `most`.
  Got receive(std::string& into, Milliseconds timeout = kPatience, std::size_t most = 65536);

  void finish_sending();  ///< closes the sending side
  void shut_down();       ///< closes both directions and wakes a waiting receive()
  void reset_on_close();  ///< the next close sends RST
  void reset();           ///< closes now with RST
  void close();
  void shrink_receive_buffer();  ///< so that a few unread kilobytes stop the sender

 private:
  Got receive_tls(std::string& into, Milliseconds timeout, std::size_t most);

  int fd_ = -1;
  std::unique_ptr<TlsClient> tls_;
};

}  // namespace headgate::test
