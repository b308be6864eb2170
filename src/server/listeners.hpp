#pragma once
// The listening addresses of the workers, managed by the main thread. A change applies to all addresses or to none.

#include "server/upgrade/passed_sockets.hpp"
#include "worker.hpp"

#include "headgate/admin/reload_result.hpp"
#include "headgate/net/bound_socket.hpp"
#include "headgate/net/options.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headgate::server {

/// An address that cannot be listened on, and why.
struct ListenFailure {
  std::size_t index = 0;  ///< the index among the wanted addresses
  std::string why;
};

/// Main thread only.
class Listeners {
 public:
  /// The workers outlive this object. Each worker has a socket of its own on every address, and the kernel distributes
  /// the connections.
  explicit Listeners(std::vector<Worker*> workers) : workers_(std::move(workers)) {}

  /// The addresses that are wanted next, with sockets for the new ones. Clients cannot connect to the new sockets yet.
  struct Next {
    struct Row {
      net::ListenOptions options;
      std::optional<std::size_t> open;  ///< the index among the open addresses; empty if the address is not open yet
      std::vector<net::BoundSocket> sockets{};  ///< sockets of the address if it is not open yet
      bool passed = false;                      ///< whether the sockets listen already
      ListenerTls tls{};                        ///< the TLS to use; empty if an open address keeps its TLS
    };
    std::vector<Row> rows;
    /// Sets the TLS of each address, by its number.
    void use(std::vector<ListenerTls> tls);
  };
  /// Finds open addresses, takes sockets from `passed`, and binds the rest. With port 0 the system chooses a port.
  Result<Next, ListenFailure> prepare(const std::vector<net::ListenOptions>& wanted, PassedSockets& passed) const;

  using Change = admin::ChangedAddresses;
  /// Lets clients connect to the new addresses; they wait until use().
  Result<void, ListenFailure> listen(Next& next) const;
  /// Gives the sockets to the workers. Closes the addresses that are no longer wanted; their connections have the time
  /// `drain` to end.
  Change use(Next next, Duration drain);

  /// Uses this TLS for new connections of an address.
  void use_tls(std::size_t index, ListenerTls tls);
  std::uint16_t port(std::size_t index) const;  ///< Returns the port of an address; 0 if there is no such address.
  /// Returns the sockets of all addresses. The workers keep them.
  std::vector<int> descriptors() const;

 private:
  struct Open {
    ListenerId id = 0;
    net::ListenOptions options;
    boost::asio::ip::tcp::endpoint at{};
    std::vector<int> descriptors{};
  };
  Result<std::vector<net::BoundSocket>, std::string> bind_new(net::ListenOptions options) const;
  Result<std::vector<net::BoundSocket>, std::string> complete(std::vector<net::BoundSocket> passed,
                                                              net::ListenOptions options) const;
  Open hand_out(Next::Row row);

  std::vector<Worker*> workers_;
  std::vector<Open> open_;
  ListenerId last_id_ = 0;
};

}  // namespace headgate::server
