#include "reservations.hpp"

#include "carried.hpp"
#include "gateway/admission/billing.hpp"
#include "gateway/admission/give_back.hpp"
#include "gateway/admission/holds.hpp"
#include "gateway/limits/limit_counters.hpp"
#include "gateway/limits/settle.hpp"

#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/delay.hpp"
#include "headgate/observe/event.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace headgate::gateway {
namespace {

/// The longest wait for the worker of a reservation. It has got the call, so the reservation is settled in any case.
constexpr Duration kSettlePatience = std::chrono::seconds(5);

bool holds_in_flight(const Exchange& x) noexcept {
  const auto& a = x.admission;
  return std::ranges::any_of(a.held_limits(), [&](const CheckedLimit& checked) {
    return checked.route_limit->ready->in_flight && a.decisions[checked.first].allowed;
  });
}

/// Returns the caller among whom the places are shared out.
std::string_view owner_of(const Exchange& x) noexcept {
  if (x.caller.known_key) return x.caller.api_key_text;  // anybody can invent other keys
  return x.user.empty() ? x.caller.ip_key : x.user;
}

/// An entry in the list of waiting exchanges, until the end of the scope.
class WaitingCall {
 public:
  WaitingCall(std::map<std::uint64_t, Delay*>& all, std::uint64_t number, Delay& delay) : all_(all), number_(number) {
    all_.emplace(number, &delay);
  }
  WaitingCall(const WaitingCall&) = delete;
  WaitingCall& operator=(const WaitingCall&) = delete;
  ~WaitingCall() { all_.erase(number_); }

 private:
  std::map<std::uint64_t, Delay*>& all_;
  std::uint64_t number_;
};

/// Returns the refusal of a call that settles nothing.
MaybeProblem refusal_of(Exchange& x, const ReservationBook::Claimed& claimed) {
  using Kind = ReservationBook::Claimed::Kind;
  constexpr std::string_view kNoSuch =
      "There is no open reservation with this id: it was settled, its time is over, or it never existed.";
  constexpr std::string_view kElsewhere =
      "Another gateway made this reservation, or this one before it was restarted. Send the call to the gateway that "
      "decided.";
  switch (claimed.kind) {
    case Kind::taken:
      return {};
    case Kind::unknown:
      return Problem{.status = 404, .ended_by = EndedBy::no_route, .detail = kNoSuch};
    case Kind::elsewhere:
      return Problem{.status = 421, .ended_by = EndedBy::no_route, .detail = kElsewhere};
    default:
      break;
  }
  std::string_view known;
  for (const auto& limit : claimed.limits) known = x.text.extend(known, {known.empty() ? "" : ", ", limit});
  return Problem{.status = 400,
                 .ended_by = EndedBy::bad_request,
                 .detail = x.text.join({"The limit \"", claimed.limit,
                                        "\" takes no cost from this reservation. The limits that do: ",
                                        known.empty() ? "none" : known, "."})};
}

}  // namespace

Reservations::Reservations(Path& path, ReservationBook& book)
    : path_(path),
      book_(book),
      inbox_(std::make_shared<SettleInbox>(path.services.clock, &Reservations::collect, this)),
      alarm_(path.services.clock.alarm(&Reservations::on_alarm, this)) {}

Reservations::~Reservations() {
  for (const auto& [id, open] : opened_) book_.close(id);
  inbox_->close();
}

MaybeProblem Reservations::open(Exchange& x) {
  if (x.admission.returned || (!holds_reported_cost(x) && !holds_in_flight(x))) return {};
  std::vector<std::string> limits;  // also those that did not count this caller, whose reported cost has no effect
  for (const auto& each : x.route->plan)
    if (is_settled(each.cost)) limits.push_back(each.limit->name);
  const auto owner = owner_of(x);
  const auto id = alarm_ ? book_.open(owner, std::move(limits), inbox_) : std::nullopt;
  if (!id) return refuse(x, owner);
  x.reservation = x.text.join({*id});
  auto& clock = path_.services.clock;
  const auto until = clock.steady() + x.settle_within;
  auto kept = carried(x, clock);
  path_.in_flight->keep(*kept);
  opened_.emplace(*id, Open{std::move(kept), until});
  const auto at = ends_.emplace(until, *id);
  if (at == ends_.begin()) arm();
  x.snapshot->counters->of<ReservationCounters>().open(opened_.size());
  return {};
}

MaybeProblem Reservations::refuse(Exchange& x, std::string_view owner) {
  constexpr unsigned kUnavailable = 503;
  give_back(path_, x);
  x.snapshot->counters->of<ReservationCounters>().ended(ReservationEnd::refused);
  if (gate_.pass(path_.services.clock.steady()))
    observe::event(observe::LogLevel::warning, "reservations_full",
                   "a caller has no place for another reservation, because too many of its reservations are open",
                   {{"owner", owner}, {"open", book_.counts().open}, {"most", book_.most()}, gate_.left_out()});
  return Problem{.status = kUnavailable,
                 .ended_by = EndedBy::full,
                 .detail = "Too many reservations of this caller are open. They must be settled first.",
                 .retry_after = 1};
}

void Reservations::withdraw(const Exchange& x) {
  const auto found = opened_.find(x.reservation);
  if (found != opened_.end() && book_.close(found->first)) end(found, ReservationEnd::cancelled, nullptr);
}

Task<MaybeProblem> Reservations::settle(Exchange& x, Settlement said) {
  const auto call = std::make_shared<SettleCall>();
  call->said = std::move(said);
  call->from = inbox_;
  call->waiter = ++waited_;
  Delay delay(path_.services.clock, kSettlePatience);
  const WaitingCall waiting(waiters_, call->waiter, delay);
  if (auto problem = refusal_of(x, book_.claim(call))) co_return problem;
  x.delay = &delay;
  co_await delay;
  x.delay = nullptr;
  co_return MaybeProblem{};
}

void Reservations::collect(void* self) {
  auto& reservations = *static_cast<Reservations*>(self);
  for (const auto& call : reservations.inbox_->take()) reservations.receive(call);
  reservations.arm();  // the alarm may have passed for a reservation that was in the inbox
}

void Reservations::receive(const std::shared_ptr<SettleCall>& call) {
  if (call->done) {
    if (const auto found = waiters_.find(call->waiter); found != waiters_.end()) found->second->end();
    return;
  }
  const auto found = opened_.find(call->said.reservation);
  if (found != opened_.end())
    end(found, call->said.cancel ? ReservationEnd::cancelled : ReservationEnd::used, &call->said);
  call->done = true;
  call->from->put(call);
}

// The order is that in which an exchange leaves these steps.
void Reservations::end(Opened::iterator at, ReservationEnd how, const Settlement* said) {
  const auto [first, last] = ends_.equal_range(at->second.until);
  ends_.erase(std::find_if(first, last, [&](const auto& each) { return each.second == at->first; }));
  const auto kept = std::move(at->second.x);
  opened_.erase(at);
  auto& x = *kept;
  const bool cancelled = how == ReservationEnd::cancelled;
  if (cancelled) {
    cancel_costs(x, path_.services.memory, *path_.outage);
  } else {
    note_reported(x, said != nullptr ? std::span<const ReportedCost>(said->used) : std::span<const ReportedCost>());
    gateway::settle(x, path_.services.memory, *path_.outage);
  }
  if (x.route->takes(Step::in_flight)) path_.in_flight->release(x);
  x.admission.returned = x.admission.returned || cancelled;
  end_holds(path_, x);
  if (x.route->takes(Step::notices)) path_.notices->ended(x);
  bill(path_, x);
  const auto& counters = *x.snapshot->counters;
  counters.of<TierCounters>().count_limits(x);
  counters.of<ReservationCounters>().ended(how);
  counters.of<ReservationCounters>().open(opened_.size());
}

void Reservations::arm() {
  if (ends_.empty() || !alarm_) return;
  const auto left = ends_.begin()->first - path_.services.clock.steady();
  alarm_->set(std::max(std::chrono::duration_cast<Duration>(left), Duration(0)));
}

void Reservations::on_alarm(void* self) {
  auto& all = *static_cast<Reservations*>(self);
  const auto now = all.path_.services.clock.steady();
  auto next = all.ends_.begin();
  while (next != all.ends_.end() && next->first <= now) {
    const auto at = all.opened_.find(next->second);
    ++next;  // end() removes the entry before it
    if (all.book_.close(at->first)) all.end(at, ReservationEnd::expired, nullptr);
    // Otherwise a call has settled the reservation, and is in the inbox.
  }
  if (next == all.ends_.end()) return;
  const auto left = std::chrono::duration_cast<Duration>(next->first - now);
  all.alarm_->set(left);
}

void Reservations::stop() {
  alarm_.reset();
  for (auto at = opened_.begin(); at != opened_.end();) {
    const auto each = at++;
    if (book_.close(each->first)) end(each, ReservationEnd::expired, nullptr);
  }
  for (const auto& call : inbox_->close()) receive(call);
}

}  // namespace headgate::gateway
