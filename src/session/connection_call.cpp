// The part of the sessions that answers operators: a walk along all connections of a worker, some in each turn of the
// loop, so that requests do not wait for it.

#include "headgate/session/connection_call.hpp"

#include "session_lists.hpp"

#include "headgate/gateway/request_under_way.hpp"
#include "headgate/identity/client_address.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace headgate::session {
namespace {

/// Connections that are looked at in one turn of the loop.
constexpr unsigned kLookedAt = 256;

using What = ConnectionCall::What;

/// The youngest first, so that it leaves when an older one comes.
bool is_older(const RequestUnderWay& one, const RequestUnderWay& other) noexcept { return one.age > other.age; }

std::string_view charged_to(const boost::asio::ip::address& address, unsigned ipv6_prefix, std::span<char> room) {
  return identity::client_ip_key(address, ipv6_prefix, room);
}

bool same_client(const boost::asio::ip::address& one, const boost::asio::ip::address& other, unsigned ipv6_prefix) {
  std::array<char, 64> first{};
  std::array<char, 64> second{};
  return charged_to(one, ipv6_prefix, first) == charged_to(other, ipv6_prefix, second);
}

bool is_wanted(const ConnectionCall::Wanted& wanted, const Exchange& x, unsigned ipv6_prefix) {
  if (wanted.route && (x.route == nullptr || x.route->name != *wanted.route)) return false;
  if (wanted.server && x.server != *wanted.server) return false;
  return !wanted.address || same_client(logged_address(x), *wanted.address, ipv6_prefix);
}

}  // namespace

void ConnectionCall::asked(std::size_t workers) {
  const std::lock_guard lock(mutex_);
  found_.workers = workers;
}

void ConnectionCall::answer(Part part) {
  {
    const std::lock_guard lock(mutex_);
    found_.parts.push_back(std::move(part));
    if (found_.parts.size() < found_.workers) return;
  }
  all_();
}

ConnectionCall::Found ConnectionCall::take() {
  const std::lock_guard lock(mutex_);
  Found out{found_.workers, std::move(found_.parts)};
  found_.parts.clear();
  return out;
}

/// Under the lock no worker leaves, so that each loop is there when its part is posted.
void ask_workers(Totals& totals, const std::shared_ptr<ConnectionCall>& call) {
  std::size_t workers = 0;
  {
    const std::lock_guard lock(totals.neighbours_mutex);
    workers = totals.neighbours.size();
    call->asked(workers);
    for (const auto& each : totals.neighbours)
      boost::asio::post(*each.loop, [sessions = each.sessions, call] {
        if (!call->over()) sessions->answer(call);
      });
  }
  if (workers == 0) call->all_();
}

void Sessions::answer(const std::shared_ptr<ConnectionCall>& call) {
  lists_->walks.emplace_front();
  const auto walk = lists_->walks.begin();
  walk->call = call;
  walk->last = numbered_;
  if (!lists_->alive.empty()) walk->next = &lists_->alive.front();
  walk_on(walk);
}

/// Sessions stand in the order of their numbers, so a walk ends also while new ones come.
void Sessions::walk_on(Walks::iterator walk) {
  const auto call = walk->call;
  for (unsigned looked = 0; looked < kLookedAt && walk->next != nullptr; ++looked) {
    auto& session = *walk->next;
    walk->next = lists_->after(session);
    if (session.number_ > walk->last || call->over()) {
      walk->next = nullptr;
      break;
    }
    look_at(session, *walk);
  }
  if (walk->next != nullptr) return boost::asio::post(*loop_, [this, walk] { walk_on(walk); });
  auto part = std::move(walk->part);
  lists_->walks.erase(walk);
  if (!call->over()) call->answer(std::move(part));
}

/// It may end the session, and others.
void Sessions::look_at(Session& session, Walk& walk) {
  const auto& wanted = walk.call->wanted();
  switch (wanted.what) {
    case What::addresses:
      return count(session, walk.part);
    case What::requests:
      return list(session, walk);
    case What::end_request:
      if (session.number_ == wanted.name.connection && worker_ == wanted.name.worker) end_request(session, walk);
      return;
    case What::end_address:
      return end_of_address(session, walk);
  }
}

void Sessions::count(const Session& session, ConnectionCall::Part& part) const {
  std::array<char, 64> room{};
  auto& use = part.addresses[std::string(charged_to(session.peer().address, bounds_.ipv6_prefix, room))];
  ++use.open;
  if (session.exchange() != nullptr)
    ++use.requests;
  else if (session.idle())
    ++use.idle;
  const auto age = std::chrono::duration_cast<Duration>(clock_.steady() - session.peer().accepted);
  use.oldest = std::max(use.oldest, age);
}

RequestUnderWay Sessions::described(const Session& session, const ConnectionCall::Wanted& wanted) const {
  const auto& x = *session.exchange();
  auto out = describe(x, wanted.callers);
  out.name = {worker_, session.number_, begun_of(x)};
  out.age = std::chrono::duration_cast<Duration>(clock_.steady() - x.started);
  return out;
}

/// Only the oldest are described, because that costs more than a look.
void Sessions::list(const Session& session, Walk& walk) const {
  const auto& wanted = walk.call->wanted();
  const auto* const x = session.exchange();
  if (x == nullptr || !is_wanted(wanted, *x, bounds_.ipv6_prefix)) return;
  ++walk.part.matching;
  auto& listed = walk.part.requests;
  const auto age = std::chrono::duration_cast<Duration>(clock_.steady() - x->started);
  if (listed.size() == wanted.most) {
    if (listed.empty() || age <= listed.front().age) return;
    std::pop_heap(listed.begin(), listed.end(), is_older);
    listed.pop_back();
  }
  listed.push_back(described(session, wanted));
  std::push_heap(listed.begin(), listed.end(), is_older);
}

void Sessions::end_request(Session& session, Walk& walk) const {
  walk.next = nullptr;
  const auto& wanted = walk.call->wanted();
  const auto* const x = session.exchange();
  if (x == nullptr || begun_of(*x) != wanted.name.begun) return;
  walk.part.requests.push_back(described(session, wanted));
  const auto told = session.stop(Session::Afterwards::as_usual);
  ++(told == Session::Told::answer ? walk.part.answered : walk.part.broken_off);
}

void Sessions::end_of_address(Session& session, Walk& walk) {
  const auto& address = *walk.call->wanted().address;
  const bool own = same_client(session.peer().address, address, bounds_.ipv6_prefix);
  const auto* const x = session.exchange();
  if (x == nullptr) {
    if (!own) return;
    ++walk.part.closed;
    return end_now(session);
  }
  // Through a proxy come requests of many.
  if (!own && !same_client(logged_address(*x), address, bounds_.ipv6_prefix)) return;
  const auto told = session.stop(own ? Session::Afterwards::close : Session::Afterwards::as_usual);
  ++(told == Session::Told::answer ? walk.part.answered : walk.part.broken_off);
}

}  // namespace headgate::session
