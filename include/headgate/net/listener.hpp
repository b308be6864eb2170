#pragma once
// Accepts connections on one address. Each worker has its own listener on the same port; the kernel distributes the
// connections.

#include "headgate/net/bound_socket.hpp"
#include "headgate/net/options.hpp"
#include "headgate/net/stream.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace headgate::net {

/// How often the listeners of this process have paused because descriptors had come to an end. Listeners that pause
/// together count once. Any thread.
std::uint64_t accept_pauses() noexcept;

/// Worker thread only, or before the loop runs; destroy it after its loop has stopped or after close().
class Listener {
 public:
  using Take = std::function<void(StreamPtr)>;
  static constexpr int kBacklog = 4096;  ///< clients that wait to be accepted, at most

  /// Who connects: clients, for whom not all descriptors are (descriptors.hpp), or operators, for whom some are kept.
  enum class For : std::uint8_t { clients, operators };
  /// `socket` listens already. Throws std::system_error if the loop cannot watch it.
  Listener(boost::asio::io_context& loop, Timers& timers, BoundSocket socket, For whom = For::clients);
  /// Binds and listens. The error says what to do about it. With port 0 the system chooses a port: see port().
  static Result<std::unique_ptr<Listener>, std::string> open(boost::asio::io_context& loop, Timers& timers,
                                                             const ListenOptions& options);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Accepts from now on; `take` gets each connection. Pauses while there are no descriptors left but those for
  /// connections to servers.
  void start(Take take);
  /// Accepts the connections that wait already, then closes.
  void close();
  std::uint16_t port() const noexcept;
  std::string address() const;  ///< "127.0.0.1:8080"

 private:
  using Acceptor = boost::asio::basic_socket_acceptor<Tcp, Executor>;
  void accept();
  bool take_waiting();
  void pause(const std::string& reason);
  void resume();
  void close_socket() noexcept;
  static void pause_over(void* self);

  boost::asio::io_context& loop_;
  Acceptor acceptor_;
  Timers& timers_;
  Timer pause_{&Listener::pause_over, this};
  Take take_;
  const int last_descriptor_;
  bool paused_ = false;
};

}  // namespace headgate::net
