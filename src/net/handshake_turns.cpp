#include "headgate/net/handshake_turns.hpp"

#include "headgate/net/stream.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace headgate::net {

void HandshakeTurns::Turn::await_suspend(std::coroutine_handle<> waiter) {
  line_.push_back(waiter);
  turns_.ask_for_pass();
}

HandshakeTurns::Place::Place(HandshakeTurns& turns, Stream* stream) : turns_(turns), stream_(stream) {
  turns.places_.push_back(*this);
}

HandshakeTurns::Place::~Place() {
  turns_.places_.erase(turns_.places_.iterator_to(*this));
  --turns_.under_way_;
  if (lost_) --turns_.leaving_;
  turns_.ask_for_pass();
}

/// The oldest that waits for its client; null if there is none among the oldest few.
HandshakeTurns::Place* HandshakeTurns::idlest() noexcept {
  constexpr int kLooked = 32;
  int looked = 0;
  for (auto& place : places_) {
    if (place.waits_ && !place.lost_ && place.stream_ != nullptr) return &place;
    if (++looked == kLooked) break;
  }
  return nullptr;
}

/// Breaks one off, or looks again when the oldest has had its time.
void HandshakeTurns::make_room() {
  auto* const idle = crowded() ? idlest() : nullptr;
  if (idle == nullptr) return;
  const auto until = idle->since_ + kPatience;
  if (std::chrono::steady_clock::now() < until) {
    later_.expires_at(until);
    later_.async_wait([this](const auto& cancelled) {
      if (!cancelled) make_room();
    });
    return;
  }
  idle->lost_ = true;
  ++leaving_;
  idle->stream_->interrupt();
}

void HandshakeTurns::ask_for_pass() {
  if (asked_ || (going_on_.empty() && (new_.empty() || (under_way_ >= most_ && !crowded())))) return;
  asked_ = true;
  boost::asio::post(loop_, [this] { pass(); });
}

/// Those that are under way come first: they have a place, and end sooner. But the last turn of a pass is for a new
/// one: clients that send their handshakes byte by byte would keep all others waiting.
void HandshakeTurns::pass() {
  asked_ = false;
  make_room();
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
  if (!going_on_.empty() || (!new_.empty() && under_way_ < most_)) ask_for_pass();
}

}  // namespace headgate::net
