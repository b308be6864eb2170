#pragma once
// One connection to one Redis server: keeps itself connected, carries commands out and answers back, in order.

#include "link.hpp"
#include "redis/setup.hpp"

#include "headgate/core/time.hpp"
#include "headgate/redis/handshake.hpp"
#include "headgate/redis/options.hpp"
#include "headgate/redis/reply.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>

namespace headgate::redis {

/// Somebody waiting for the answer to one command. Must be forgotten before it dies.
struct Recipient {
  std::uint64_t place = 0;  ///< in the order of answers; the connection's own
};

/// What a connection tells its owner, on the worker's thread. Each may call back into the connection, and stop it.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  /// The handshake is done.
  virtual void connected() = 0;
  /// One answer. `waiter` is null where it was forgotten or never was.
  virtual void replied(Recipient* waiter, const Reply& reply) = 0;
  /// One system call carried commands out.
  virtual void wrote() = 0;
  /// The connection is gone, or could not be made. No waiter will be answered; it connects again by itself.
  virtual void lost(const std::string& reason) = 0;
};

/// Worker thread only. Handlers keep it alive; stop() ends them.
class Connection final : public LinkUser, public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup, std::string_view script,
             std::string_view script_sha);

  /// `owner` is kept until stop().
  void start(std::shared_ptr<ConnectionOwner> owner) { owner_ = std::move(owner); }
  /// Connects there now and whenever the connection is lost, with pauses from 50 ms to 1 s. A connection to another
  /// server is lost to its owner; commands that have waited for the first one still do.
  void aim(const RedisNode& node);
  /// Closes, forgets all waiters without a word, lets go of the owner. Final.
  void stop();

  /// Queues one command; everything queued in one turn of the loop leaves in one write. Before the first handshake is
  /// done it waits for that; later, while there is no connection, nothing may be sent.
  void send(std::span<const std::string_view> words, Recipient& waiter) { queue(words, &waiter); }
  /// The same with an answer that interests nobody.
  void send(std::span<const std::string_view> words) { queue(words, nullptr); }
  /// The answer to `waiter` will be thrown away when it comes.
  void forget(const Recipient& waiter);
  /// Forgets all waiters, and what is queued: only while there is no connection.
  void discard() { forget_all(); }
  /// Gives this connection up and makes another.
  void drop(const std::string& reason);

  std::size_t in_flight() const noexcept { return waiting_.size(); }  ///< unanswered commands, forgotten ones included

 private:
  using Executor = boost::asio::io_context::executor_type;
  using Timer = boost::asio::basic_waitable_timer<SteadyClock, boost::asio::wait_traits<SteadyClock>, Executor>;

  void opened() override;
  void received(std::string_view bytes) override;
  void wrote() override;
  void closed(const std::string& reason) override { lose(reason); }

  void connect();
  void ready();
  void take(const Reply& reply);
  void give_up(const std::string& reason);
  void lose(const std::string& reason);
  void connect_later();
  void end_life();
  void forget_all();
  template <class Handler>
  void after(SteadyClock::duration time, Handler handler);
  void queue(std::span<const std::string_view> words, Recipient* waiter);
  void flush_soon();
  void flush();

  Executor executor_;
  const std::shared_ptr<const Setup> setup_;
  std::string_view script_;
  std::string_view script_sha_;
  std::shared_ptr<ConnectionOwner> owner_;
  std::optional<RedisNode> node_;

  std::shared_ptr<Link> link_;
  Timer timer_;  ///< of the handshake under way, or of the pause before the next attempt
  std::optional<Handshake> handshake_;
  SteadyClock::time_point since_{};  ///< greeted, later: ready
  SteadyClock::duration pause_;
  std::minstd_rand random_;

  ReplyReader reader_;
  std::deque<Recipient*> waiting_;
  std::uint64_t first_place_ = 0;
  std::string out_;

  std::uint64_t life_ = 0;  ///< what began in an earlier attempt or pause finds another number and does nothing
  bool stopped_ = false;
  bool ready_ = false;
  bool flush_posted_ = false;
};

}  // namespace headgate::redis
