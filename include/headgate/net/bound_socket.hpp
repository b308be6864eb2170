#pragma once
// A TCP socket that is bound to an address but belongs to no loop yet. It was bound here or inherited from the previous
// process. Used by listener and server.

#include "headgate/core/result.hpp"
#include "headgate/net/options.hpp"
#include "headgate/net/stream.hpp"

#include <cstdint>
#include <string>

namespace headgate::net {

/// A socket that owns its descriptor. One thread at a time.
class BoundSocket {
 public:
  /// Binds with SO_REUSEPORT, so that each worker has a socket of its own on the same address. No client can connect
  /// before listen(). The error says how to solve the problem. With port 0 the system chooses a port, which local()
  /// returns.
  static Result<BoundSocket, std::string> bind(const ListenOptions& options);
  /// Takes over a socket that was passed to this process. Fails if `descriptor` is not a listening TCP socket, and then
  /// does not change it.
  static Result<BoundSocket, std::string> adopt(int descriptor);

  BoundSocket(BoundSocket&& other) noexcept : descriptor_(other.release()) {}
  BoundSocket& operator=(BoundSocket&& other) noexcept;
  ~BoundSocket() { close(); }

  /// Lets clients connect from now on. They wait until a listener accepts them.
  Result<void, std::string> listen();
  /// Returns another descriptor of the same socket, with the same queue of clients. Fails only if no descriptor is
  /// left; the error is a text.
  Result<BoundSocket, std::string> duplicate() const;
  /// Returns whether other sockets may bind the same address.
  bool shares_port() const noexcept;
  Tcp::endpoint local() const noexcept;
  /// Returns whether the socket has the address of these options. With port 0 any port fits.
  bool fits(const ListenOptions& options) const;
  int descriptor() const noexcept { return descriptor_; }
  /// Gives the descriptor to the caller, who owns it from now on.
  int release() noexcept;

 private:
  explicit BoundSocket(int descriptor) noexcept : descriptor_(descriptor) {}
  void close() noexcept;

  int descriptor_ = -1;
};

/// Returns the address as text: "127.0.0.1:8080".
std::string shown(const Tcp::endpoint& endpoint);

/// Fails if another process listens on this address, because with SO_REUSEPORT both would silently share the
/// connections.
Result<void, std::string> check_free(const ListenOptions& options);

}  // namespace headgate::net
