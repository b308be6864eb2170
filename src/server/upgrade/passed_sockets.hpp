#pragma once
// Listening sockets that this process received at its start: from systemd (sd_listen_fds(3)), or from the process that
// it replaces.

#include "headgate/net/bound_socket.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace headgate::server {

/// The passed sockets that are not used yet. Main thread only.
class PassedSockets {
 public:
  PassedSockets() = default;
  /// Takes over the sockets from descriptor 3 on that LISTEN_FDS, LISTEN_PID and LISTEN_FDNAMES announce, and removes
  /// these variables. Returns no sockets if the variables are meant for another process. Warns about descriptors that
  /// are not listening TCP sockets, and closes them.
  static PassedSockets from_environment();

  /// Removes and returns the sockets with the address of `options`. If `options` has port 0, all of these sockets have
  /// the same port.
  std::vector<net::BoundSocket> take(const net::ListenOptions& options);
  bool empty() const noexcept { return sockets_.empty(); }
  /// Closes the sockets that were not taken, after a warning about each address.
  void close_rest();

  void add(net::BoundSocket socket) { sockets_.push_back(std::move(socket)); }

 private:
  std::vector<net::BoundSocket> sockets_;
};

}  // namespace headgate::server
