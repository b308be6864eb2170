#pragma once
// One connection to one Redis server: keeps itself connected, carries commands out and answers back, in order.

#include "roster.hpp"

#include "headgate/redis/handshake.hpp"
#include "headgate/redis/options.hpp"
#include "headgate/redis/reply.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::redis {

/// Somebody waiting for the answer to one command. Must be forgotten before it dies.
struct Waiter {
  std::uint64_t place = 0;  ///< in the order of answers; the connection's own
};

/// What a connection tells its owner, on the worker's thread. Each may call back into the connection, and stop it.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  /// The handshake is done; its answers took `round_trip`.
  virtual void connected(std::chrono::steady_clock::duration round_trip) = 0;
  /// One answer. `waiter` is null where it was forgotten.
  virtual void replied(Waiter* waiter, const Reply& reply) = 0;
  /// The connection is gone, or could not be made. No waiter will be answered; it connects again by itself.
  virtual void lost(const std::string& reason) = 0;
};

/// Worker thread only. Handlers keep it alive; stop() ends them.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Clock = std::chrono::steady_clock;

  Connection(boost::asio::io_context& loop, const Options& options, const Node& node, std::shared_ptr<NodeStats> stats,
             std::string_view script, std::string_view script_sha);

  /// Connects now and whenever the connection is lost, with pauses from 50 ms to 1 s. `owner` is kept until stop().
  void start(std::shared_ptr<ConnectionOwner> owner);
  /// Closes, forgets all waiters without a word, lets go of the owner. Final.
  void stop();

  /// Queues one command; everything queued in one turn of the loop leaves in one write. Before the first handshake is
  /// done it waits for that; later, while there is no connection, nothing may be sent.
  void send(std::span<const std::string_view> words, Waiter& waiter);
  /// The answer to `waiter` will be thrown away when it comes.
  void forget(const Waiter& waiter);
  /// Gives this connection up and makes another.
  void drop(const std::string& reason);

  std::size_t in_flight() const noexcept { return waiting_.size(); }  ///< unanswered commands, forgotten ones included

 private:
  using Executor = boost::asio::io_context::executor_type;
  using Tcp = boost::asio::ip::tcp;
  using Socket = boost::asio::basic_stream_socket<Tcp, Executor>;
  using Resolver = boost::asio::ip::basic_resolver<Tcp, Executor>;
  using Timer = boost::asio::basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>, Executor>;

  void resolve();
  void connect_next();
  void greet();
  void ready();
  void next_address(const std::string& reason);
  void fail(const std::string& reason);
  void lose(const std::string& reason);
  void connect_later();
  void close_socket();
  void forget_all();
  /// A handler that does nothing once this socket, or this pause, is history.
  template <class Handler>
  auto while_current(Handler handler);
  template <class Handler>
  void after(Clock::duration time, Handler handler);
  void read();
  bool consume(std::string_view bytes);
  void take(const Reply& reply);
  void flush_soon();
  void flush();

  Executor executor_;
  const Options options_;
  const Node node_;
  const std::shared_ptr<NodeStats> stats_;
  std::string_view script_;
  std::string_view script_sha_;
  std::shared_ptr<ConnectionOwner> owner_;

  Resolver resolver_;
  Socket socket_;
  Timer timer_;  ///< of the attempt under way, or of the pause before the next
  std::vector<Tcp::endpoint> addresses_;
  std::size_t address_ = 0;
  std::string greeting_;
  std::optional<Handshake> handshake_;
  Clock::time_point since_{};  ///< greeted, later: ready
  Clock::duration pause_;
  std::minstd_rand random_;

  ReplyReader reader_;
  std::deque<Waiter*> waiting_;
  std::uint64_t first_place_ = 0;
  std::string out_;
  std::size_t written_ = 0;         ///< of out_
  std::array<char, 64 * 1024> in_;  ///< holds the answers to a thousand calls, so one turn of the loop reads them all

  std::uint64_t life_ = 0;  ///< a handler of an earlier socket or pause finds another number and does nothing
  bool stopped_ = false;
  bool ready_ = false;
  bool flush_posted_ = false;
  bool blocked_ = false;  ///< waiting until the socket takes more
};

}  // namespace headgate::redis
