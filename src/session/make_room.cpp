// Makes room when all connections together reach their bound. The address with the most connections loses the
// connection that has waited longest. If no address can lose one, a connection of a trusted proxy or of an exempt
// address is ended. If this worker has no such connection, the other workers are asked one after another, and the new
// connection waits for their answer.

#include "handshakes.hpp"
#include "session_lists.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace headgate::session {
namespace {

/// Number of addresses, and of connections of each, that are considered for a new connection; this bounds its cost.
constexpr std::size_t kAddresses = 8;
constexpr std::size_t kLooked = 256;
/// Maximum number of new connections that wait for the answer of another worker.
constexpr std::size_t kMaxParked = 64;

}  // namespace

/// A question to the other workers, passed on until one of them has made room.
struct Sessions::RoomQuestion {
  std::vector<Neighbour> others;
  std::vector<ConnectionBounds::Heavy> from;
  Neighbour home;
  std::uint64_t session = 0;  // number of the new session on its own worker
};

void Sessions::join(boost::asio::io_context& loop) {
  loop_ = &loop;
  const std::lock_guard lock(totals_.neighbours_mutex);
  totals_.neighbours.push_back({&loop, this, handshakes_ ? &handshakes_->turns : nullptr});
  worker_ = totals_.joined++;
}

std::size_t Totals::handshakes_of_one() noexcept {
  const std::lock_guard lock(neighbours_mutex);
  std::size_t out = 0;
  for (const auto& each : neighbours)
    if (each.handshakes) out = std::max(out, each.handshakes->under_way());
  return out;
}

void Sessions::leave_neighbours() noexcept {
  const std::lock_guard lock(totals_.neighbours_mutex);
  std::erase_if(totals_.neighbours, [this](const Neighbour& each) { return each.sessions == this; });
}

/// Lists the addresses that had more connections than the newcomer's address before it came, and the newcomer's address
/// itself. So an address never loses a connection because of an address that has as many connections. Connections
/// without a place come last, as if they belonged to one address, because they serve many clients.
std::vector<ConnectionBounds::Heavy> Sessions::who_gives_way(const Peer& newcomer) const {
  auto out = totals_.bounds.heaviest(kAddresses);
  const auto placed = totals_.bounds.placed();
  const auto open = totals_.connections.load(std::memory_order_relaxed);
  if (open > placed) out.push_back({.key = ConnectionBounds::kUnplaced, .open = open - placed, .address = {}});
  const auto own = newcomer.place.key();
  const auto mine = own == 0 ? 0 : totals_.bounds.open(own);
  std::erase_if(out, [&](const auto& each) { return each.key != own && each.open < mine; });
  return out;
}

bool Sessions::may_end(const Session& session) const noexcept {
  if (session.parked_) return false;
  if (session.waits_for_request()) return true;
  return bounds_.if_full == IfFull::end_waiting && session.stream_ && session.stream_->waits_for_peer();
}

/// Ends one connection of one of these addresses, if possible. Sessions that cannot be ended move to the end of their
/// list, so that the next search examines others first.
bool Sessions::make_room(const std::vector<ConnectionBounds::Heavy>& from) {
  for (const auto& heavy : from) {
    const auto found = lists_->addresses.find(heavy.key);
    if (found == lists_->addresses.end()) continue;
    auto& list = found->second;
    Session* longest = nullptr;
    auto at = list.begin();
    for (std::size_t looked = 0; looked < kLooked && at != list.end(); ++looked) {
      auto& session = *at++;
      if (!session.counted_) continue;
      if (!may_end(session)) {
        if (at != list.end()) list.splice(list.end(), list, list.iterator_to(session));
      } else if (longest == nullptr || session.since_ < longest->since_) {
        longest = &session;
      }
    }
    if (longest == nullptr) continue;
    totals_.bounds.gave_way(heavy, bounds_.connections, clock_.steady());
    end_now(*longest);
    return true;
  }
  return false;
}

bool Sessions::park(Session& session, const std::vector<ConnectionBounds::Heavy>& from) {
  if (loop_ == nullptr || from.empty() || lists_->parked.size() >= kMaxParked) return false;
  const auto question = std::make_shared<RoomQuestion>();
  {
    const std::lock_guard lock(totals_.neighbours_mutex);
    question->others = totals_.neighbours;
  }
  std::erase_if(question->others, [this](const Neighbour& each) { return each.sessions == this; });
  if (question->others.empty()) return false;
  question->from = from;
  question->home = {loop_, this};
  question->session = session.number_;
  session.parked_ = true;
  lists_->parked.emplace(session.number_, &session);
  pass_on(question);
  return true;
}

/// Posts the question to the next worker. Any loop can be used, because the loops and the sessions of all workers live
/// until every worker has ended.
void Sessions::pass_on(const std::shared_ptr<RoomQuestion>& question) {
  const bool nobody = question->others.empty();
  if (nobody) {
    boost::asio::post(*question->home.loop,
                      [question] { question->home.sessions->unpark(question->session, Made::none); });
    return;
  }
  const auto next = question->others.back();
  question->others.pop_back();
  boost::asio::post(*next.loop, [question, next] {
    if (!next.sessions->make_room(question->from)) return pass_on(question);
    boost::asio::post(*question->home.loop,
                      [question] { question->home.sessions->unpark(question->session, Made::room); });
  });
}

void Sessions::unpark(std::uint64_t number, Made made) {
  const auto found = lists_->parked.find(number);
  if (found == lists_->parked.end()) return;  // a drain has ended the session
  auto& session = *found->second;
  session.parked_ = false;
  lists_->parked.erase(found);
  if (made == Made::none) return turn_away(session);
  session.count_accepted();
  session.begin();
}

void Sessions::turn_away(Session& session) {
  totals_.bounds.refused(ConnectionBounds::Why::total, session.peer_.address, clock_.steady());
  session.count_refused();
  uncount(session);  // a rejected session is not counted as a connection
  session.reject();
}

}  // namespace headgate::session
