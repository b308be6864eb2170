#pragma once
// Decisions whose costs and permits in flight outlive their exchange, until a second call settles them.

#include "gateway/path/path.hpp"
#include "reservation_counters.hpp"

#include "headgate/core/clock.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/gateway/reservations/reservation_book.hpp"
#include "headgate/observe/line_gate.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace headgate::gateway {

class Delay;

/// The reservations that one worker has made; its thread only. Each has an exchange of its own, with what the steps
/// need that run at the end: the decisions of the limits, the permits, and the configuration of the request.
class Reservations {
 public:
  /// `path` and `book` outlive the object.
  Reservations(Path& path, ReservationBook& book);
  ~Reservations();
  Reservations(const Reservations&) = delete;
  Reservations& operator=(const Reservations&) = delete;

  /// Opens a reservation if the limits of `x` have a cost that the caller reports, or permits in flight. Sets
  /// Exchange::reservation, and moves costs and permits to the reservation, which ends after Exchange::settle_within at
  /// the latest. If the caller has no place for another reservation, gives all permits back and returns the refusal.
  MaybeProblem open(Exchange& x);
  /// Gives back everything that the reservation of `x` holds, because its caller does not learn of it.
  void withdraw(const Exchange& x);
  /// Settles a reservation of any worker, and returns when that is done. Returns the refusal of a call that settles
  /// nothing; it has then changed nothing.
  Task<MaybeProblem> settle(Exchange& x, Settlement said);
  /// Ends all reservations as if their time was over. No exchange may begin afterwards.
  void stop();

 private:
  struct Open {
    std::unique_ptr<Exchange> x;
    Clock::Steady until;
  };
  using Opened = std::map<std::string, Open, std::less<>>;

  static void collect(void* self);
  static void on_alarm(void* self);
  void receive(const std::shared_ptr<SettleCall>& call);
  void end(Opened::iterator at, ReservationEnd how, const Settlement* said);
  MaybeProblem refuse(Exchange& x, std::string_view owner);
  void arm();

  Path& path_;
  ReservationBook& book_;
  std::shared_ptr<SettleInbox> inbox_;
  Opened opened_;
  std::multimap<Clock::Steady, std::string> ends_;  ///< the ids by the time of their end
  std::map<std::uint64_t, Delay*> waiters_;         ///< exchanges that wait for a settlement
  std::uint64_t waited_ = 0;
  std::unique_ptr<Alarm> alarm_;
  observe::LineGate gate_;
};

}  // namespace headgate::gateway
