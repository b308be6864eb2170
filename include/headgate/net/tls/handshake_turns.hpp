#pragma once
// The queue of a worker's TLS handshakes. A few go on in each pass of the loop, so that a thousand new connections do
// not delay the served ones. The number of handshakes under way is bounded, and a handshake that does nothing loses its
// place if others wait. Used by server and session.

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>

namespace headgate::net {

class Stream;

/// The queue. Worker thread only. Handshakes that have begun go on in order. The owners of new handshakes take turns,
/// so that an owner with many does not delay an owner with one.
class HandshakeTurns {
 public:
  /// Number of handshakes in one pass. A handshake computes for up to a millisecond, so other connections wait for at
  /// most two of them.
  static constexpr std::size_t kInOnePass = 2;

  /// Time for which a handshake may wait for its client while others wait for a place. After this time the oldest such
  /// handshake is aborted, because a few addresses could otherwise take all places by sending one byte each.
  static constexpr auto kPatience = std::chrono::seconds(1);

  /// At most `under_way` handshakes are under way at a time. `loop` outlives this object.
  HandshakeTurns(boost::asio::io_context& loop, std::size_t under_way) : loop_(loop), most_(under_way), later_(loop) {}
  HandshakeTurns(const HandshakeTurns&) = delete;
  HandshakeTurns& operator=(const HandshakeTurns&) = delete;

  /// The awaitable of begin() and next(); co_await it at once. It cannot be interrupted, so check the stream after it.
  class Turn {
   public:
    enum class Of : std::uint8_t { new_one, under_way };
    Turn(HandshakeTurns& turns, Of what, std::uint64_t owner) noexcept : turns_(turns), what_(what), owner_(owner) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter);
    void await_resume() const noexcept {}

   private:
    HandshakeTurns& turns_;
    Of what_;
    std::uint64_t owner_;
  };

  /// The place of a handshake among those under way, from the end of begin() to the end of its scope.
  class Place : public boost::intrusive::list_base_hook<> {
   public:
    /// `stream` is interrupted to abort the handshake; null if the handshake is never aborted.
    Place(HandshakeTurns& turns, Stream* stream);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    /// Sets whether the handshake waits for its client now, rather than for its turn.
    void waits_for_client(bool now) noexcept { waits_ = now; }
    /// Returns whether the handshake was aborted because others wait.
    bool lost() const noexcept { return lost_; }
    HandshakeTurns& turns() noexcept { return turns_; }

   private:
    friend class HandshakeTurns;
    HandshakeTurns& turns_;
    Stream* stream_;
    std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
    bool waits_ = false;
    bool lost_ = false;
  };

  /// Waits for a place among the handshakes under way, and for the turn. A Place must follow. `owner` stands for the
  /// address.
  Turn begin(std::uint64_t owner = 0) noexcept { return {*this, Turn::Of::new_one, owner}; }
  /// Waits for the next turn of a handshake under way.
  Turn next() noexcept { return {*this, Turn::Of::under_way, 0}; }
  /// Sets the maximum number of handshakes under way.
  void allow(std::size_t under_way) noexcept { most_ = under_way; }
  /// Returns the number of handshakes that have begun and not ended. Any thread.
  std::size_t under_way() const noexcept { return under_way_.load(std::memory_order_relaxed); }

 private:
  using Waiter = std::coroutine_handle<>;
  /// Handshakes that have not begun; their owners take turns.
  class NewOnes {
   public:
    void push(std::uint64_t owner, Waiter waiter);
    Waiter pop();
    bool empty() const noexcept { return size_ == 0; }
    std::size_t size() const noexcept { return size_; }

   private:
    std::unordered_map<std::uint64_t, std::deque<Waiter>> of_owner_;
    std::deque<std::uint64_t> turn_;  // owners that have waiting handshakes
    std::size_t size_ = 0;
  };
  void count(std::size_t under_way) noexcept { under_way_.store(under_way, std::memory_order_relaxed); }
  void ask_for_pass();
  void pass();
  bool crowded() const noexcept { return new_.size() > leaving_ && under_way() >= most_; }
  Place* idlest() noexcept;
  void make_room();
  void look_again(std::chrono::steady_clock::time_point when);

  boost::asio::io_context& loop_;
  std::size_t most_;
  std::atomic<std::size_t> under_way_{0};  // written only by the worker
  std::size_t leaving_ = 0;                // handshakes that have lost their place but not ended yet
  bool asked_ = false;
  bool looks_again_ = false;
  boost::asio::steady_timer later_;
  boost::intrusive::list<Place> places_;  // the oldest first
  std::deque<Waiter> going_on_;
  NewOnes new_;
};

}  // namespace headgate::net
