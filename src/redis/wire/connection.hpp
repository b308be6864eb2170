#pragma once
// A connection to one Redis server: connects again whenever it is lost, sends commands, and delivers the answers in
// order.

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

/// The object that waits for the answer to one command. Call Connection::forget() before it is destroyed.
struct Recipient {
  std::uint64_t place = 0;  ///< position of the answer in the order of answers; set by the connection
};

/// The receiver of a connection's events, on the worker's thread. Each function may call back into the connection and
/// stop it.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  /// Called when the handshake is done.
  virtual void connected() = 0;
  /// Called for each answer. `waiter` is null if the command had none, or if it was forgotten.
  virtual void replied(Recipient* waiter, const Reply& reply) = 0;
  /// Called after a system call that sent commands.
  virtual void wrote() = 0;
  /// Called when the connection is lost or could not be made. No waiter will get an answer. The connection tries again
  /// by itself.
  virtual void lost(const std::string& reason) = 0;
};

/// The connection. Worker thread only. Handlers keep it alive; stop() ends them.
class Connection final : public LinkUser, public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup, std::string_view script,
             std::string_view script_sha);

  /// Sets the owner, which is kept until stop().
  void start(std::shared_ptr<ConnectionOwner> owner) { owner_ = std::move(owner); }
  /// Connects to `node` now, and again whenever the connection is lost, with pauses from 50 ms to 1 s. The owner sees a
  /// change of the node as a lost connection. Commands that wait for the first connection are still sent.
  void aim(const RedisNode& node);
  /// Closes, forgets all waiters silently, and releases the owner. Final.
  void stop();

  /// Queues one command. All commands that are queued in one turn of the loop are sent with one write. Before the end
  /// of the first handshake, commands wait for it; later, nothing may be sent while there is no connection.
  void send(std::span<const std::string_view> words, Recipient& waiter) { queue(words, &waiter); }
  /// Sends a command whose answer is ignored.
  void send(std::span<const std::string_view> words) { queue(words, nullptr); }
  /// Makes the connection ignore the answer to the command of `waiter`, which is not used any more.
  void forget(const Recipient& waiter);
  /// Forgets all waiters and all queued commands. Call it only while there is no connection.
  void discard() { forget_all(); }
  /// Closes this connection and makes another one.
  void drop(const std::string& reason);

  /// number of unanswered commands, including forgotten ones
  std::size_t in_flight() const noexcept { return waiting_.size(); }

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
  Timer timer_;  ///< for the current handshake, or the pause before the next attempt
  std::optional<Handshake> handshake_;
  SteadyClock::time_point since_{};  ///< when the state last became `greeted` or `ready`
  SteadyClock::duration pause_;
  std::minstd_rand random_;

  ReplyReader reader_;
  std::deque<Recipient*> waiting_;
  std::uint64_t first_place_ = 0;
  std::string out_;

  /// number of attempts and pauses; the handler of an earlier one finds another number, and does nothing
  std::uint64_t life_ = 0;
  bool stopped_ = false;
  bool ready_ = false;
  bool flush_posted_ = false;
};

}  // namespace headgate::redis
