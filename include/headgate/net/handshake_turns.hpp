#pragma once
// Whose TLS handshake goes on now: a few in each pass of a worker's loop, so that a thousand new connections do not
// hold up those that are served; and only so many under way at once.

#include <boost/asio/io_context.hpp>

#include <coroutine>
#include <cstddef>
#include <deque>

namespace headgate::net {

/// Worker thread only. Waits are in order, and last as long as those before them take.
class HandshakeTurns {
 public:
  /// A handshake computes for up to a millisecond: other connections wait for no more than two of them.
  static constexpr std::size_t kInOnePass = 2;

  /// At most `under_way` have begun and not ended. `loop` outlives this object.
  HandshakeTurns(boost::asio::io_context& loop, std::size_t under_way) noexcept : loop_(loop), most_(under_way) {}
  HandshakeTurns(const HandshakeTurns&) = delete;
  HandshakeTurns& operator=(const HandshakeTurns&) = delete;

  /// What begin() and next() return: co_await it at once. It cannot be interrupted: look at the stream after it.
  class Turn {
   public:
    Turn(HandshakeTurns& turns, std::deque<std::coroutine_handle<>>& line) noexcept : turns_(turns), line_(line) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter);
    void await_resume() const noexcept {}

   private:
    HandshakeTurns& turns_;
    std::deque<std::coroutine_handle<>>& line_;
  };

  /// Waits for a place among those under way, and for the turn. Call end() once after it.
  Turn begin() noexcept { return {*this, new_}; }
  /// Waits for the next turn of one that is under way.
  Turn next() noexcept { return {*this, going_on_}; }
  void end();

  /// From now on so many may be under way.
  void allow(std::size_t under_way) noexcept { most_ = under_way; }
  std::size_t under_way() const noexcept { return under_way_; }

 private:
  void ask_for_pass();
  void pass();

  boost::asio::io_context& loop_;
  std::size_t most_;
  std::size_t under_way_ = 0;
  bool asked_ = false;
  std::deque<std::coroutine_handle<>> going_on_;
  std::deque<std::coroutine_handle<>> new_;
};

}  // namespace headgate::net
