#pragma once
// The addresses that workers listen on, from the main thread's side. They change as a whole or not at all.

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

/// Which address cannot be listened on, and why.
struct ListenFailure {
  std::size_t index = 0;  ///< among the wanted ones
  std::string why;
};

/// Main thread only.
class Listeners {
 public:
  /// The workers outlive it. Each has a socket of its own on every address; the kernel distributes the connections.
  explicit Listeners(std::vector<Worker*> workers) : workers_(std::move(workers)) {}

  /// Other addresses, with sockets for those that are new. Nobody can connect to these yet.
  struct Next {
    struct Row {
      net::ListenOptions options;
      std::optional<std::size_t> open;          ///< the one that is open already
      std::vector<net::BoundSocket> sockets{};  ///< else its sockets
      bool passed = false;                      ///< whether they listen already
      ListenerTls tls{};                        ///< empty: an open one keeps what it has
    };
    std::vector<Row> rows;
    /// By the number of each address.
    void use(std::vector<ListenerTls> tls);
  };
  /// Finds what is open already, takes what was `passed`, and binds the rest. With port 0 the system chooses one.
  Result<Next, ListenFailure> prepare(const std::vector<net::ListenOptions>& wanted, PassedSockets& passed) const;

  using Change = admin::ChangedAddresses;
  /// From now on clients can connect to the new addresses; they wait until use().
  Result<void, ListenFailure> listen(Next& next) const;
  /// Gives the sockets to the workers. Addresses that are not wanted any more are closed: their connections have
  /// `drain` to end.
  Change use(Next next, Duration drain);

  /// New connections of an address use this TLS from now on.
  void use_tls(std::size_t index, ListenerTls tls);
  std::uint16_t port(std::size_t index) const;  ///< of an address; 0 if there is none
  /// The sockets of all addresses. They stay the workers'.
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
