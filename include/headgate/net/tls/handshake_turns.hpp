#pragma once
// Whose TLS handshake goes on now: a few in each pass of a worker's loop, so that a thousand new connections do not
// hold up those that are served; and only so many under way at once, of which none may keep its place by doing nothing.

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

/// Worker thread only. Those that have begun go on in order. Those that have not are served in turn by owner, so that
/// an owner of many keeps nobody waiting who has one.
class HandshakeTurns {
 public:
  /// A handshake computes for up to a millisecond: other connections wait for no more than two of them.
  static constexpr std::size_t kInOnePass = 2;

  /// If others wait for a place, the oldest handshake that waits for its client for longer than this since it began is
  /// broken off: a few addresses could take all places with one byte each.
  static constexpr auto kPatience = std::chrono::seconds(1);

  /// At most `under_way` have begun and not ended. `loop` outlives this object.
  HandshakeTurns(boost::asio::io_context& loop, std::size_t under_way) : loop_(loop), most_(under_way), later_(loop) {}
  HandshakeTurns(const HandshakeTurns&) = delete;
  HandshakeTurns& operator=(const HandshakeTurns&) = delete;

  /// What begin() and next() return: co_await it at once. It cannot be interrupted: look at the stream after it.
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

  /// The place of one handshake among those under way, from the end of begin() on. Ends with its scope.
  class Place : public boost::intrusive::list_base_hook<> {
   public:
    /// `stream` is interrupted to break it off; null: it never is.
    Place(HandshakeTurns& turns, Stream* stream);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    /// Whether it waits for its client now, and not for its turn.
    void waits_for_client(bool now) noexcept { waits_ = now; }
    /// Whether it was broken off, because others wait.
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

  /// Waits for a place among those under way, and for the turn. A Place must follow. `owner` names the address.
  Turn begin(std::uint64_t owner = 0) noexcept { return {*this, Turn::Of::new_one, owner}; }
  /// Waits for the next turn of one that is under way.
  Turn next() noexcept { return {*this, Turn::Of::under_way, 0}; }
  /// From now on so many may be under way.
  void allow(std::size_t under_way) noexcept { most_ = under_way; }
  /// How many have begun and not ended. Any thread.
  std::size_t under_way() const noexcept { return under_way_.load(std::memory_order_relaxed); }

 private:
  using Waiter = std::coroutine_handle<>;
  /// Those that have not begun, in turn by owner.
  class NewOnes {
   public:
    void push(std::uint64_t owner, Waiter waiter);
    Waiter pop();
    bool empty() const noexcept { return size_ == 0; }
    std::size_t size() const noexcept { return size_; }

   private:
    std::unordered_map<std::uint64_t, std::deque<Waiter>> of_owner_;
    std::deque<std::uint64_t> turn_;  // of the owners that have some
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
  std::atomic<std::size_t> under_way_{0};  // only the worker writes it
  std::size_t leaving_ = 0;                // lost their place, and have not ended yet
  bool asked_ = false;
  bool looks_again_ = false;
  boost::asio::steady_timer later_;
  boost::intrusive::list<Place> places_;  // the oldest first
  std::deque<Waiter> going_on_;
  NewOnes new_;
};

}  // namespace headgate::net
