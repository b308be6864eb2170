#include "headgate/gateway/sessions.hpp"

#include "arrival.hpp"
#include "h1_session.hpp"
#include "handshake.hpp"
#include "handshakes.hpp"
#include "session.hpp"

#include <utility>

namespace headgate::gateway {

Session* session_for(Sessions& owner, net::ReadBuffer input, Peer peer) {
  return new H1Session(owner, std::move(input), std::move(peer));
}

std::unique_ptr<Exchange> ExchangePool::take() {
  if (spare_.empty()) return std::make_unique<Exchange>();
  auto exchange = std::move(spare_.back());
  spare_.pop_back();
  return exchange;
}

void ExchangePool::put(std::unique_ptr<Exchange> exchange) {
  if (spare_.size() == kMaxSpare) return;
  exchange->reset();
  spare_.push_back(std::move(exchange));
}

struct Sessions::Lists {
  using List = boost::intrusive::list<Session, boost::intrusive::constant_time_size<false>>;
  List alive;      ///< serving or idle
  List lingering;  ///< the oldest first
};

Sessions::Sessions(Handler& handler, Clock& clock, net::Blocks& blocks, const Timeouts& timeouts, const Bounds& bounds,
                   std::atomic<std::uint32_t>& total, MakeSession make)
    : handler_(handler),
      clock_(clock),
      blocks_(blocks),
      timeouts_(timeouts),
      bounds_(bounds),
      total_(total),
      make_(make),
      lists_(std::make_unique<Lists>()) {}

Sessions::~Sessions() {
  for (auto* list : {&lists_->alive, &lists_->lingering})
    while (!list->empty()) remove(list->front());
}

void Sessions::shake_hands_by(net::HandshakeTurns& turns, const observe::HandshakeCounters* counters) {
  handshakes_.reset(
      new Handshakes{.turns = turns, .counters = counters, .shares = HandshakeShares(bounds_.handshakes_per_address)});
}

Session* Sessions::session_of(net::ReadBuffer input, Peer peer, net::ServerTlsPtr tls) {
  if (tls) return new Handshake(*this, std::move(input), std::move(peer), std::move(tls));
  return make_(*this, std::move(input), std::move(peer));
}

void Sessions::take(net::StreamPtr stream, Preamble preamble, const net::ServerTlsPtr& tls, std::uint16_t https_port) {
  const auto peer = stream->peer_address();
  if (peer.has_error()) return stream->close();  // the client is gone already
  const auto before = total_.fetch_add(1, std::memory_order_relaxed);
  net::ReadBuffer input(std::move(stream), blocks_);
  if (before >= bounds_.connections) {
    auto& session = keep(session_of(std::move(input), Peer(*peer), tls));
    uncount(session);  // it takes no place while it is rejected
    return session.reject();
  }
  const bool says_whose = preamble == Preamble::proxy_header && handler_.trusts(*peer);
  Peer whose(*peer);
  whose.https_port = https_port;
  auto& session = keep(says_whose ? new Arrival(*this, std::move(input), std::move(whose), timeouts_.head, tls)
                                  : session_of(std::move(input), std::move(whose), tls));
  session.begin();
}

Session& Sessions::keep(Session* session) {
  lists_->alive.push_back(*session);
  return *session;
}

void Sessions::give_way(Session& before, net::ReadBuffer input, Peer peer, net::ServerTlsPtr tls) {
  before.stream_ = nullptr;
  before.counted_ = false;
  remove(before);
  keep(session_of(std::move(input), std::move(peer), std::move(tls))).begin();
}

Duration Sessions::patience() const noexcept { return draining_ ? Duration(Session::kFirstRequest) : timeouts_.idle; }

void Sessions::uncount(Session& session) noexcept {
  if (std::exchange(session.counted_, false)) total_.fetch_sub(1, std::memory_order_relaxed);
}

void Sessions::remove(Session& session) noexcept {
  if (session.lingering()) --lingering_;
  uncount(session);
  delete &session;  // leaves its list
}

void Sessions::let_linger(Session& session) noexcept {
  uncount(session);
  session.unlink();
  lists_->lingering.push_back(session);
  if (++lingering_ > kMaxLingering) remove(lists_->lingering.front());
}

void Sessions::drain() {
  winding_down_ = draining_ = true;
  for (auto at = lists_->alive.begin(); at != lists_->alive.end();) {
    auto& session = *at++;
    session.drain();
  }
}

bool Sessions::empty() const noexcept { return lists_->alive.empty() && lists_->lingering.empty(); }

void Sessions::close_all() {
  for (auto at = lists_->alive.begin(); at != lists_->alive.end();) {
    auto& session = *at++;
    if (session.idle())
      remove(session);
    else
      session.break_off();
  }
  while (!lists_->lingering.empty()) remove(lists_->lingering.front());
}

}  // namespace headgate::gateway
