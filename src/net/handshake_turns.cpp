#include "headgate/net/handshake_turns.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace headgate::net {

void HandshakeTurns::Turn::await_suspend(std::coroutine_handle<> waiter) {
  line_.push_back(waiter);
  turns_.ask_for_pass();
}

void HandshakeTurns::end() {
  --under_way_;
  ask_for_pass();
}

void HandshakeTurns::ask_for_pass() {
  if (asked_ || (going_on_.empty() && (new_.empty() || under_way_ >= most_))) return;
  asked_ = true;
  boost::asio::post(loop_, [this] { pass(); });
}

/// Those that are under way come first: they have a place, and end sooner. But the last turn of a pass is for a new
/// one: clients that send their handshakes byte by byte would keep all others waiting.
void HandshakeTurns::pass() {
  asked_ = false;
  for (std::size_t i = 0; i < kInOnePass; ++i) {
    const bool room = !new_.empty() && under_way_ < most_;
    const bool another = going_on_.empty() || (room && i + 1 == kInOnePass);
    if (another && !room) break;
    if (another) ++under_way_;
    auto& line = another ? new_ : going_on_;
    const auto waiter = line.front();
    line.pop_front();
    waiter.resume();
  }
  ask_for_pass();
}

}  // namespace headgate::net
