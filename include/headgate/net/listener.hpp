#pragma once
// Accepts connections on one address. Each worker has its own listener on the same port; the kernel distributes the
// connections.

#include "headgate/net/options.hpp"
#include "headgate/net/server_tls.hpp"
#include "headgate/net/stream.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>

#include <functional>
#include <memory>
#include <string>

namespace headgate::net {

/// Worker thread only; destroy it after its loop has stopped or after close().
class Listener {
 public:
  using Take = std::function<void(StreamPtr)>;

  /// Binds and listens. The error says what to do about it. With port 0 the system chooses a port: see port().
  static Result<std::unique_ptr<Listener>, std::string> open(boost::asio::io_context& loop, Timers& timers,
                                                             const ListenOptions& options);
  ~Listener();

  /// Accepts from now on; `take` gets each connection. After an error (no descriptors) tries again in 100 ms.
  void start(Take take);
  /// Accepts the connections that wait already, then closes.
  void close();
  std::uint16_t port() const noexcept;
  std::string address() const;  ///< "127.0.0.1:8080"
  bool proxy_protocol() const noexcept {
    return proxy_protocol_;
  }  ///< whether connections begin with a PROXY header, which `take` must read
  /// Where requests without TLS are redirected; 0: they are served.
  std::uint16_t https_port() const noexcept { return https_port_; }
  /// Whether connections use TLS, which `take` must begin with tls().
  bool secure() const noexcept { return secure_; }
  /// What new connections use from now on.
  void use_tls(ServerTlsPtr tls) noexcept { tls_ = std::move(tls); }
  const ServerTlsPtr& tls() const noexcept { return tls_; }  ///< null before use_tls()

 private:
  using Acceptor = boost::asio::basic_socket_acceptor<Tcp, Executor>;
  Listener(Acceptor acceptor, Timers& timers, const ListenOptions& options);
  void accept();
  static void pause_over(void* self);

  Acceptor acceptor_;
  Timers& timers_;
  Timer pause_{&Listener::pause_over, this};
  Take take_;
  bool proxy_protocol_;
  std::uint16_t https_port_;
  bool secure_;
  ServerTlsPtr tls_;
};

/// An error if another process listens on this address: with SO_REUSEPORT both would silently share the connections.
Result<void, std::string> check_free(boost::asio::io_context& loop, const ListenOptions& options);

}  // namespace headgate::net
