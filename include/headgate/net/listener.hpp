#pragma once
// Accepts connections on one address. Each worker has its own listener on the same port, and the kernel distributes the
// connections. Used by server and admin.

#include "headgate/net/bound_socket.hpp"
#include "headgate/net/options.hpp"
#include "headgate/net/stream.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace headgate::net {

/// Returns how often the listeners of this process have paused because no descriptors were left. Listeners that pause
/// together count once. Any thread.
std::uint64_t accept_pauses() noexcept;

/// A listener of one worker. Worker thread only, or before the loop runs. Destroy it after its loop has stopped or
/// after close().
class Listener {
 public:
  using Take = std::function<void(StreamPtr)>;
  static constexpr int kBacklog = 4096;  ///< maximum number of clients that wait to be accepted

  /// The users of the listener: clients, who may use only a part of the descriptors (descriptors.hpp), or operators,
  /// for whom some are reserved.
  enum class For : std::uint8_t { clients, operators };
  /// `socket` must be listening. Throws std::system_error if the loop cannot watch it.
  Listener(boost::asio::io_context& loop, Timers& timers, BoundSocket socket, For whom = For::clients);
  /// Binds and listens. The error says how to solve the problem. With port 0 the system chooses a port, which port()
  /// returns.
  static Result<std::unique_ptr<Listener>, std::string> open(boost::asio::io_context& loop, Timers& timers,
                                                             const ListenOptions& options);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Accepts from now on and gives each connection to `take`. Pauses while the only free descriptors are those reserved
  /// for connections to servers.
  void start(Take take);
  /// Accepts the connections that are waiting, then closes.
  void close();
  std::uint16_t port() const noexcept;
  std::string address() const;  ///< Returns the address as text: "127.0.0.1:8080".

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
