#pragma once
// A TCP socket with an address, of no loop yet: bound here, or passed on by the process before this one.

#include "headgate/core/result.hpp"
#include "headgate/net/options.hpp"
#include "headgate/net/stream.hpp"

#include <cstdint>
#include <string>

namespace headgate::net {

/// Owns the descriptor. One thread at a time.
class BoundSocket {
 public:
  /// Binds with SO_REUSEPORT: each worker has a socket of its own on the same address. No client can connect before
  /// listen(). The error says what to do about it. With port 0 the system chooses one: see local().
  static Result<BoundSocket, std::string> bind(const ListenOptions& options);
  /// Takes over a socket that was passed to this process. An error if `descriptor` is no TCP socket that listens;
  /// then it stays as it is.
  static Result<BoundSocket, std::string> adopt(int descriptor);

  BoundSocket(BoundSocket&& other) noexcept : descriptor_(other.release()) {}
  BoundSocket& operator=(BoundSocket&& other) noexcept;
  ~BoundSocket() { close(); }

  /// From now on clients can connect. They wait until a listener accepts them.
  Result<void, std::string> listen();
  /// The same socket once more, with the same queue of clients. An error text if there is no descriptor left.
  Result<BoundSocket, std::string> duplicate() const;
  /// Whether others may bind the same address beside it.
  bool shares_port() const noexcept;
  Tcp::endpoint local() const noexcept;
  /// Whether it has the address of these options. With port 0 any port fits.
  bool fits(const ListenOptions& options) const;
  int descriptor() const noexcept { return descriptor_; }
  /// The caller owns the descriptor from now on.
  int release() noexcept;

 private:
  explicit BoundSocket(int descriptor) noexcept : descriptor_(descriptor) {}
  void close() noexcept;

  int descriptor_ = -1;
};

/// "127.0.0.1:8080"
std::string shown(const Tcp::endpoint& endpoint);

/// An error if another process listens on this address: with SO_REUSEPORT both would silently share the connections.
Result<void, std::string> check_free(const ListenOptions& options);

}  // namespace headgate::net
