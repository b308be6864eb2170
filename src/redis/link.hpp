#pragma once
// Bytes to and from one server: finds its addresses, connects to the first that will do, TLS included, and writes
// without waiting.

#include "setup.hpp"
#include "tls_channel.hpp"

#include "headgate/redis/options.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::redis {

/// What a link tells its user, on the worker's thread. Each may call back into the link, and close it.
class LinkUser {
 public:
  virtual ~LinkUser() = default;
  virtual void opened() = 0;  ///< bytes can be written; comes again where an address did not do and the next one does
  virtual void received(std::string_view bytes) = 0;
  virtual void wrote() = 0;                            ///< one system call carried bytes out
  virtual void closed(const std::string& reason) = 0;  ///< the connection is gone, or no address would do
};

/// Worker thread only. Handlers keep it alive while it is open. Closed and open as often as its user likes.
class Link : public std::enable_shared_from_this<Link> {
 public:
  using Clock = std::chrono::steady_clock;

  Link(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup);

  /// Connects to `node`; `user` is kept until closed() was told or close() called.
  void open(const Node& node, std::shared_ptr<LinkUser> user);
  /// Without a word to the user.
  void close();
  /// The other side is not what was looked for: the node's next address is tried, or closed(`reason`) told.
  void give_up(const std::string& reason);
  /// The other side is what was looked for: once it is lost, no other address of it is tried.
  void keep() noexcept { kept_ = true; }

  /// After opened(): sends now what the kernel takes, and the rest as soon as it can.
  void write(std::string_view bytes);

 private:
  using Executor = boost::asio::io_context::executor_type;
  using Tcp = boost::asio::ip::tcp;
  using Socket = boost::asio::basic_stream_socket<Tcp, Executor>;
  using Resolver = boost::asio::ip::basic_resolver<Tcp, Executor>;
  using Timer = boost::asio::basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>, Executor>;

  void resolve();
  void connect_next();
  void connected();
  void shake_hands();
  void settled();
  void end(const std::string& reason);
  void close_socket();
  void read();
  void deliver(std::string_view bytes);
  void decrypt();
  bool flush(std::string_view bytes, std::size_t& taken);
  void flush_pending();
  /// A handler that does nothing once this socket is history.
  template <class Handler>
  auto while_current(Handler handler);

  Executor executor_;
  const std::shared_ptr<const Setup> setup_;
  Node node_;
  std::shared_ptr<LinkUser> user_;

  Resolver resolver_;
  Socket socket_;
  Timer timer_;  ///< of the attempt under way
  std::vector<Tcp::endpoint> addresses_;
  std::size_t address_ = 0;
  std::optional<TlsChannel> tls_;
  bool secured_ = false;  ///< the TLS handshake is done

  std::string pending_;               ///< what the kernel did not take; with TLS all that is to be sent
  std::array<char, 64UL * 1024> in_;  ///< holds the answers to a thousand calls: one turn of the loop reads them all

  std::uint64_t life_ = 0;  ///< a handler of an earlier socket finds another number and does nothing
  bool kept_ = false;
  bool blocked_ = false;  ///< waiting until the socket takes more
};

}  // namespace headgate::redis
