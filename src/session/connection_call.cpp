// Answers operators about all connections of a worker. Examines a few connections in each turn of the loop, so that
// requests are not delayed.

#include "headgate/session/connection_call.hpp"

#include "session_lists.hpp"

#include "headgate/gateway/request_under_way.hpp"
#include "headgate/identity/client_address.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace headgate::session {
namespace {

/// Maximum number of connections and requests that are examined in one turn of the loop.
constexpr std::size_t kLookedAt = 256;

using What = ConnectionCall::What;

std::string_view charged_to(const boost::asio::ip::address& address, unsigned ipv6_prefix, std::span<char> room) {
  return identity::client_ip_key(address, ipv6_prefix, room);
}

bool same_client(const boost::asio::ip::address& one, const boost::asio::ip::address& other, unsigned ipv6_prefix) {
  std::array<char, 64> first{};
  std::array<char, 64> second{};
  return charged_to(one, ipv6_prefix, first) == charged_to(other, ipv6_prefix, second);
}

template <class Use>
void for_each_request(const Session& session, Use&& use) {
  for (auto each = session.under_way(0); each.exchange != nullptr; each = session.under_way(each.stream + 1)) use(each);
}

void stop_requests(Session& session, Session::Afterwards afterwards, std::span<const std::uint32_t> streams,
                   ConnectionCall::Part& part) {
  const auto stopped = session.stop(afterwards, streams);
  part.answered += stopped.answered;
  part.broken_off += stopped.broken_off;
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

/// Posts a part of the call to each worker. No worker can end while the lock is held, so each loop still exists when
/// its part is posted to it.
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

/// Sessions are sorted by number, and a walk stops after the number that was the last one at its beginning. So a walk
/// ends even if new sessions are added all the time.
void Sessions::walk_on(Walks::iterator walk) {
  const auto call = walk->call;
  for (std::size_t looked = 0; looked < kLookedAt && walk->next != nullptr;) {
    auto& session = *walk->next;
    walk->next = lists_->after(session);
    if (session.number_ > walk->last || call->over()) {
      walk->next = nullptr;
      break;
    }
    looked += look_at(session, *walk);
  }
  if (walk->next != nullptr) return boost::asio::post(*loop_, [this, walk] { walk_on(walk); });
  auto part = std::move(walk->part);
  lists_->walks.erase(walk);
  if (!call->over()) call->answer(std::move(part));
}

/// Examines one session, and may end this session and others. Returns how many requests and connections were examined.
std::size_t Sessions::look_at(Session& session, Walk& walk) {
  const auto& wanted = walk.call->wanted();
  switch (wanted.what) {
    case What::addresses:
      return 1 + count(session, walk.part);
    case What::requests:
      return 1 + list(session, walk);
    case What::end_request:
      if (session.number_ == wanted.name.connection && worker_ == wanted.name.worker) end_request(session, walk);
      return 1;
    case What::end_address:
      return 1 + end_of_address(session, walk);
  }
  return 1;
}

std::size_t Sessions::count(const Session& session, ConnectionCall::Part& part) const {
  std::array<char, 64> room{};
  auto& use = part.addresses[std::string(charged_to(session.peer().address, bounds_.ipv6_prefix, room))];
  ++use.open;
  std::uint32_t requests = 0;
  for_each_request(session, [&](const Session::UnderWay&) { ++requests; });
  use.requests += requests;
  if (requests == 0 && session.has_no_request()) ++use.idle;
  const auto age = std::chrono::duration_cast<Duration>(clock_.steady() - session.peer().accepted);
  use.oldest = std::max(use.oldest, age);
  return requests;
}

RequestUnderWay Sessions::described(const Session& session, const Exchange& x, std::uint32_t stream,
                                    const ConnectionCall::Wanted& wanted) const {
  auto out = describe(x, wanted.callers);
  out.name = {worker_, session.number_, begun_of(x), stream};
  out.age = std::chrono::duration_cast<Duration>(clock_.steady() - x.started);
  return out;
}

/// Describes only the oldest requests, because a description costs more than an examination. The list is a heap with
/// its youngest request first, which is removed when an older one is found.
std::size_t Sessions::list(const Session& session, Walk& walk) const {
  const auto& wanted = walk.call->wanted();
  std::size_t looked = 0;
  for_each_request(session, [&](const Session::UnderWay& request) {
    const auto& x = *request.exchange;
    ++looked;
    if (!is_wanted(wanted, x, bounds_.ipv6_prefix)) return;
    ++walk.part.matching;
    auto& listed = walk.part.requests;
    if (listed.size() == wanted.most) {
      if (listed.empty() || begun_of(x) >= listed.front().name.begun) return;
      std::pop_heap(listed.begin(), listed.end(), gateway::began_before);
      listed.pop_back();
    }
    listed.push_back(described(session, x, request.stream, wanted));
    std::push_heap(listed.begin(), listed.end(), gateway::began_before);
  });
  return looked;
}

void Sessions::end_request(Session& session, Walk& walk) const {
  walk.next = nullptr;
  const auto& wanted = walk.call->wanted();
  const auto named = wanted.name.stream;
  const auto [x, stream] = session.under_way(named);
  if (x == nullptr || stream != named || begun_of(*x) != wanted.name.begun) return;
  walk.part.requests.push_back(described(session, *x, stream, wanted));
  stop_requests(session, Session::Afterwards::as_usual, {&named, 1}, walk.part);
}

std::size_t Sessions::end_of_address(Session& session, Walk& walk) {
  const auto& address = *walk.call->wanted().address;
  const bool own = same_client(session.peer().address, address, bounds_.ipv6_prefix);
  std::size_t looked = 0;
  std::vector<std::uint32_t> streams;
  for_each_request(session, [&](const Session::UnderWay& request) {
    ++looked;
    // A connection of a proxy carries the requests of many clients.
    if (own || same_client(logged_address(*request.exchange), address, bounds_.ipv6_prefix))
      streams.push_back(request.stream);
  });
  if (!streams.empty()) {
    stop_requests(session, own ? Session::Afterwards::close : Session::Afterwards::as_usual, streams, walk.part);
  } else if (own) {
    ++walk.part.closed;
    end_now(session);
  }
  return looked;
}

}  // namespace headgate::session
