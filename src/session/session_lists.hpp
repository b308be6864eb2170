#pragma once
// The sessions of a worker: all live ones, those of each address, and the lingering ones. Only Sessions uses it.

#include "session.hpp"

#include <boost/intrusive/list.hpp>

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace headgate::session {

/// A walk along `alive` for an operator. Each turn of the loop examines a few sessions.
struct Sessions::Walk {
  std::shared_ptr<ConnectionCall> call;
  ConnectionCall::Part part;
  Session* next = nullptr;  ///< null once the walk has reached the end
  /// the highest session number that the walk examines; later sessions have higher numbers
  std::uint64_t last = 0;
};

struct Sessions::Lists {
  using List = boost::intrusive::list<Session, boost::intrusive::constant_time_size<false>>;
  using OfAddress = boost::intrusive::list<
      Session, boost::intrusive::member_hook<Session, decltype(Session::of_address), &Session::of_address>,
      boost::intrusive::constant_time_size<false>>;

  void join_address(Session& session) { addresses[session.peer().place.key()].push_back(session); }
  void leave_address(Session& session) noexcept {
    if (!session.of_address.is_linked()) return;
    session.of_address.unlink();
    const auto found = addresses.find(session.peer().place.key());
    if (found != addresses.end() && found->second.empty()) addresses.erase(found);
  }

  /// Returns the next session in `alive`, or null.
  Session* after(Session& session) {
    auto at = alive.iterator_to(session);
    return ++at == alive.end() ? nullptr : &*at;
  }
  /// Called when a connection changes from one session to the next, perhaps with another address. Walks that end
  /// connections then also examine the next session, so that no connection escapes. Walks that only count do not,
  /// because they would count the connection twice.
  void hand_over(Session& session) {
    for (auto& walk : walks) {
      if (walk.call->wanted().what != ConnectionCall::What::end_address) continue;
      walk.last = session.number();
      if (walk.next == nullptr) walk.next = &session;
    }
  }
  /// Called before a session leaves `alive`. If a walk would examine this session next, moves the walk to the session
  /// after it.
  void step_over(Session& session) {
    for (auto& walk : walks)
      if (walk.next == &session) walk.next = after(session);
  }

  List alive;                                              ///< sessions that are serving or idle
  List lingering;                                          ///< lingering sessions, the oldest first
  std::unordered_map<std::uint64_t, OfAddress> addresses;  ///< sessions with a place (see ConnectionBounds)
  std::unordered_map<std::uint64_t, Session*> parked;      ///< sessions that wait until there is room, by number
  Walks walks;                                             ///< walks under way
};

}  // namespace headgate::session
