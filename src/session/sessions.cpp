#include "headgate/session/sessions.hpp"

#include "arrival.hpp"
#include "h1_session.hpp"
#include "h2/h2_session.hpp"
#include "h2/opening.hpp"
#include "handshake.hpp"
#include "handshakes.hpp"
#include "session_lists.hpp"

#include <algorithm>
#include <utility>

namespace headgate::session {

Session* session_for(Sessions& owner, net::ReadBuffer input, Peer peer) {
  const bool agreed = peer.secured && peer.secured->http2;
  if (!agreed && (peer.late || !(peer.listener->http2 && !peer.secured)))
    return new H1Session(owner, std::move(input), std::move(peer));
  const auto begins = agreed ? H2Begin::yes : begins_h2(input.data());
  if (begins == H2Begin::yes) return new H2Session(owner, std::move(input), std::move(peer));
  if (begins == H2Begin::no) return new H1Session(owner, std::move(input), std::move(peer));
  return new H2Opening(owner, std::move(input), std::move(peer));
}

std::unique_ptr<Exchange> ExchangePool::take() {
  // without initialisation of the text buffer, which is never read before it is written
  if (spare_.empty()) return std::make_unique_for_overwrite<Exchange>();
  auto exchange = std::move(spare_.back());
  spare_.pop_back();
  return exchange;
}

void ExchangePool::put(std::unique_ptr<Exchange> exchange) {
  if (spare_.size() == kMaxSpare) return;
  exchange->reset();
  spare_.push_back(std::move(exchange));
}

Sessions::Sessions(Handler& handler, Clock& clock, net::Blocks& blocks, const Timeouts& timeouts, const Bounds& bounds,
                   Totals& totals, MakeSession make)
    : handler_(handler),
      clock_(clock),
      blocks_(blocks),
      timeouts_(timeouts),
      bounds_(bounds),
      totals_(totals),
      make_(make),
      lists_(std::make_unique<Lists>()) {}

Sessions::~Sessions() {
  leave_neighbours();
  for (auto* list : {&lists_->alive, &lists_->lingering})
    while (!list->empty()) remove(list->front());
}

void Sessions::shake_hands_by(net::HandshakeTurns& turns, const observe::HandshakeCounters* counters) {
  handshakes_.reset(
      new Handshakes{.turns = turns, .counters = counters, .shares = HandshakeShares(bounds_.handshakes_per_address)});
}

void Sessions::use(const Timeouts& timeouts, const Bounds& bounds) {
  timeouts_ = timeouts;
  bounds_ = bounds;
  if (!handshakes_) return;
  handshakes_->turns.allow(bounds.handshakes);
  handshakes_->shares.allow(bounds.handshakes_per_address);
}

Session* Sessions::session_of(net::ReadBuffer input, Peer peer, net::ServerTlsPtr tls) {
  if (tls) return new TlsHandshake(*this, std::move(input), std::move(peer), std::move(tls));
  return make_(*this, std::move(input), std::move(peer));
}

void Sessions::take(net::StreamPtr stream, ListenerSettingsPtr listener) {
  const auto address = stream->peer_address();
  if (address.has_error()) return stream->close();  // the client has left already
  Peer peer(*address);
  peer.accepted = clock_.steady();
  const bool trusted = handler_.trusts(*address);
  const auto& counters = listener->counters;
  if (!trusted && !admit(peer)) {
    if (counters.refused) counters.refused->add();
    return stream->close();
  }
  if (counters.open) counters.open->add(1);
  const auto before = totals_.connections.fetch_add(1, std::memory_order_relaxed);
  net::ReadBuffer input(std::move(stream), blocks_);
  listener->winding_down |= winding_down_;
  listener->draining |= draining_;
  const bool says_whose = listener->preamble == Preamble::proxy_header && trusted;
  auto tls = listener->tls;
  peer.listener = std::move(listener);
  const bool full = before >= bounds_.connections;
  const auto givers = full ? who_gives_way(peer) : std::vector<ConnectionBounds::Heavy>();
  const bool room = !full || make_room(givers);
  auto& session =
      keep(says_whose && room ? new Arrival(*this, std::move(input), std::move(peer), timeouts_.head, std::move(tls))
                              : session_of(std::move(input), std::move(peer), std::move(tls)));
  const bool parked = !room && !says_whose && park(session, givers);
  if (parked) return;
  if (!room) return turn_away(session);
  if (!says_whose) session.count_accepted();  // an Arrival is counted when its header has named the client
  session.begin();
}

bool Sessions::admit(Peer& peer) {
  auto [place, why] = totals_.bounds.admit(bounds_, peer.address, clock_.steady());
  peer.place = std::move(place);
  return why == ConnectionBounds::Why::none;
}

bool Sessions::out_of_memory(const Peer& peer) {
  if (bounds_.buffered == 0 || totals_.lent.read() < bounds_.buffered) return false;
  totals_.bounds.refused(ConnectionBounds::Why::memory, peer.address, clock_.steady());
  return true;
}

Session& Sessions::keep(Session* session) {
  lists_->alive.push_back(*session);
  lists_->join_address(*session);
  return *session;
}

void Sessions::give_way(Session& before, net::ReadBuffer input, Peer peer, net::ServerTlsPtr tls) {
  before.stream_ = nullptr;
  before.counted_ = false;
  lists_->leave_address(before);
  remove(before);
  auto& next = keep(session_of(std::move(input), std::move(peer), std::move(tls)));
  next.told_ = true;  // an earlier session has counted it
  if (!lists_->walks.empty()) lists_->hand_over(next);
  next.begin();
}

void Sessions::uncount(Session& session) noexcept {
  if (!std::exchange(session.counted_, false)) return;
  totals_.connections.fetch_sub(1, std::memory_order_relaxed);
  if (const auto& counters = session.peer_.listener->counters; counters.open) counters.open->add(-1);
}

void Sessions::remove(Session& session) noexcept {
  session.count_accepted();  // a connection that was not refused counts as accepted
  if (session.lingering())
    --lingering_;
  else if (!lists_->walks.empty())
    lists_->step_over(session);
  uncount(session);
  lists_->leave_address(session);
  if (session.parked_) lists_->parked.erase(session.number_);
  delete &session;  // the destructor removes the session from its list
}

void Sessions::let_linger(Session& session) noexcept {
  uncount(session);
  lists_->leave_address(session);
  session.peer_.place.leave();
  if (!lists_->walks.empty()) lists_->step_over(session);
  session.unlink();
  lists_->lingering.push_back(session);
  const bool few = bounds_.if_full == IfFull::end_waiting;  // end_waiting is for servers with few file descriptors
  const auto most = few ? std::max(bounds_.connections / 4, 2U) : kMaxLingering;
  if (++lingering_ > most) remove(lists_->lingering.front());
}

void Sessions::wind_down() {
  winding_down_ = true;
  for (auto& session : lists_->alive) session.peer_.listener->winding_down = true;
  for (auto at = lists_->alive.begin(); at != lists_->alive.end();) {
    auto& session = *at++;
    session.wind_down();
  }
}

void Sessions::drain() {
  draining_ = true;
  wind_down();
  for (auto& session : lists_->alive) session.peer_.listener->draining = true;
  for (auto at = lists_->alive.begin(); at != lists_->alive.end();) {
    auto& session = *at++;
    session.drain();
  }
}

void Sessions::drain(ListenerSettings& listener) {
  listener.winding_down = listener.draining = true;
  for (auto at = lists_->alive.begin(); at != lists_->alive.end();) {
    auto& session = *at++;
    if (session.peer_.listener.get() == &listener) session.drain();
  }
}

void Sessions::end_now(Session& session) noexcept {
  if (session.idle() || session.parked_)
    session.end();
  else
    session.break_off();
}

bool Sessions::empty() const noexcept { return lists_->alive.empty() && lists_->lingering.empty(); }

void Sessions::close_all(const ListenerSettings* only) {
  for (auto at = lists_->alive.begin(); at != lists_->alive.end();) {
    auto& session = *at++;
    if (only != nullptr && session.peer_.listener.get() != only) continue;
    end_now(session);
  }
  while (only == nullptr && !lists_->lingering.empty()) remove(lists_->lingering.front());
}

}  // namespace headgate::session
