#include "headgate/net/tls/handshake_turns.hpp"

#include "headgate/net/stream.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace headgate::net {

void HandshakeTurns::Turn::await_suspend(std::coroutine_handle<> waiter) {
  if (what_ == Of::new_one)
    turns_.new_.push(owner_, waiter);
  else
    turns_.going_on_.push_back(waiter);
  turns_.ask_for_pass();
}

void HandshakeTurns::NewOnes::push(std::uint64_t owner, Waiter waiter) {
  auto& own = of_owner_[owner];
  if (own.empty()) turn_.push_back(owner);
  own.push_back(waiter);
  ++size_;
}

HandshakeTurns::Waiter HandshakeTurns::NewOnes::pop() {
  const auto owner = turn_.front();
  turn_.pop_front();
  const auto found = of_owner_.find(owner);
  const auto waiter = found->second.front();
  found->second.pop_front();
  if (found->second.empty())
    of_owner_.erase(found);
  else
    turn_.push_back(owner);
  --size_;
  return waiter;
}

HandshakeTurns::Place::Place(HandshakeTurns& turns, Stream* stream) : turns_(turns), stream_(stream) {
  turns.places_.push_back(*this);
}

HandshakeTurns::Place::~Place() {
  turns_.places_.erase(turns_.places_.iterator_to(*this));
  turns_.count(turns_.under_way() - 1);
  if (lost_) --turns_.leaving_;
  turns_.ask_for_pass();
}

/// Returns the oldest handshake that waits for its client, or null if there is none among the oldest few.
HandshakeTurns::Place* HandshakeTurns::idlest() noexcept {
  constexpr int kLooked = 32;
  int looked = 0;
  for (auto& place : places_) {
    if (place.waits_ && !place.lost_ && place.stream_ != nullptr) return &place;
    if (++looked == kLooked) break;
  }
  return nullptr;
}

/// Aborts one handshake, or schedules another check for the moment at which the oldest handshake may be aborted.
void HandshakeTurns::make_room() {
  if (!crowded()) return;
  const auto now = std::chrono::steady_clock::now();
  auto* const idle = idlest();
  if (idle == nullptr) {
    // None of the oldest handshakes is waiting for its client now. One of them may soon do so, and no event would
    // report that.
    const bool may =
        std::any_of(places_.begin(), places_.end(), [](const Place& each) { return each.stream_ != nullptr; });
    if (may) look_again(now + kPatience / 4);
    return;
  }
  if (now < idle->since_ + kPatience) return look_again(idle->since_ + kPatience);
  idle->lost_ = true;
  ++leaving_;
  idle->stream_->interrupt();
}

void HandshakeTurns::look_again(std::chrono::steady_clock::time_point when) {
  if (std::exchange(looks_again_, true)) return;
  later_.expires_at(when);
  later_.async_wait([this](const auto& cancelled) {
    if (cancelled) return;
    looks_again_ = false;
    make_room();
  });
}

void HandshakeTurns::ask_for_pass() {
  if (asked_ || (going_on_.empty() && (new_.empty() || (under_way() >= most_ && !crowded())))) return;
  asked_ = true;
  boost::asio::post(loop_, [this] { pass(); });
}

/// Gives handshakes their turns. Handshakes under way come first, because they hold a place and will end sooner. The
/// last turn of a pass is for a new handshake; otherwise clients that send their handshakes byte by byte could keep all
/// others waiting.
void HandshakeTurns::pass() {
  asked_ = false;
  for (std::size_t i = 0; i < kInOnePass; ++i) {
    const bool room = !new_.empty() && under_way() < most_;
    const bool another = going_on_.empty() || (room && i + 1 == kInOnePass);
    if (another && !room) break;
    if (another) count(under_way() + 1);
    const auto waiter = another ? new_.pop() : going_on_.front();
    if (!another) going_on_.pop_front();
    waiter.resume();
  }
  make_room();  // called last, because a handshake that began in this pass may now wait for its client
  if (!going_on_.empty() || (!new_.empty() && under_way() < most_)) ask_for_pass();
}

}  // namespace headgate::net
