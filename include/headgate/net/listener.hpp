#pragma once
// Takes in connections on one address. Each worker has its own listener on the same port; the kernel spreads
// connections over them.

#include "headgate/net/options.hpp"
#include "headgate/net/stream.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>

#include <functional>
#include <memory>
#include <string>

namespace headgate::net {

/// Worker thread only.
class Listener {
 public:
  using Take = std::function<void(StreamPtr)>;

  /// Binds and listens; an error text says what to do about it. `options.port` may be 0: see port().
  static Result<std::unique_ptr<Listener>, std::string> open(boost::asio::io_context& loop, Timers& timers,
                                                             const ListenOptions& options);
  ~Listener();

  void start(Take take);
  /// Takes what has already connected, then closes.
  void close();
  std::uint16_t port() const noexcept;
  std::string address() const;                                      ///< "127.0.0.1:8080"
  bool proxy_protocol() const noexcept { return proxy_protocol_; }  ///< as its options say; what it takes is raw

 private:
  using Acceptor = boost::asio::basic_socket_acceptor<Tcp, Executor>;
  Listener(Acceptor acceptor, Timers& timers, bool proxy_protocol);
  void accept();
  static void pause_over(void* self);

  Acceptor acceptor_;
  Timers& timers_;
  Timer pause_{&Listener::pause_over, this};
  Take take_;
  bool proxy_protocol_;
};

/// An error text where somebody else listens on this address already (SO_REUSEPORT would share it silently).
Result<void, std::string> check_free(boost::asio::io_context& loop, const ListenOptions& options);

}  // namespace headgate::net
