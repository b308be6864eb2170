// Appointments: a client whose request is rejected may get permits reserved and come back for them later.

#include "gateway/limits/appointments.hpp"

#include "gateway/limits/limit_fields.hpp"
#include "gateway/limits/resolved_limit.hpp"
#include "rounds.hpp"

#include <boost/container/static_vector.hpp>

#include <algorithm>

namespace headgate::gateway {
namespace {

using limit::How;

constexpr std::size_t kMaxBooking = Admission::kMax + 1;

/// The checks that book an appointment.
struct Booking {
  Booking() = default;
  Booking(const Booking&) = delete;  // deleted because checks point to `share`
  Booking& operator=(const Booking&) = delete;
  /// The checks that book the limit's permits in advance; after them, the check of the share of the client's address.
  boost::container::static_vector<limit::Check, kMaxBooking> checks;
  std::size_t debts = 0;
  limit::Rule share;  ///< the rule for the share of the client's address; unused if each key has one owner
};

/// Collects the checks that reserve the permits of `checked`, even below zero, unless the client's address has booked
/// its whole share.
void book(Exchange& x, const CheckedLimit& checked, Booking& out) {
  const auto& a = x.admission;
  for (std::size_t i = checked.first; i < checked.first + std::size_t{checked.count}; ++i) {
    out.checks.push_back(a.checks[i]);
    out.checks.back().how = How::debt;
  }
  out.debts = out.checks.size();
  const auto& limit = *checked.route_limit->limit;
  if (is_own_key(limit)) return;
  out.share = limit::share_of_address(*limit.appointments, checked.tier->rules, x.caller.ip_key);
  const auto key = out.checks.front().key;
  out.checks.push_back({.rule = &out.share,
                        .key = key,
                        .hash = keyed_hash(x.text.join({out.share.suffix, key}), out.share.seed),
                        .cost = out.checks.front().cost,
                        .peek = a.peek});
}

void note(Exchange& x, const CompiledTier& tier, observe::AppointmentEvent event) {
  x.appointments.tier = &tier;
  x.appointments.events[static_cast<std::size_t>(event)] = true;
}

std::string_view presented(const Exchange& x) {
  const auto text = http::value_of(x.request.fields, kAppointmentField);
  return text.size() <= kMaxAppointmentText ? text : std::string_view();
}

/// Returns the limit that rejected the round if that limit offers an appointment now; otherwise null. While Redis is
/// unavailable, no appointment is offered, because permits that this process reserves are not reserved at other
/// gateways.
const CheckedLimit* hands_out(const Exchange& x) {
  const auto& a = x.admission;
  if (a.outcome != Admission::Outcome::rejected || a.binding == nullptr || a.binding->source == Source::fallback)
    return nullptr;
  const auto& terms = a.binding->route_limit->limit->appointments;
  return terms && a.decision().retry_after <= terms->ahead ? a.binding : nullptr;
}

/// Makes an appointment for the permits that `booked` has reserved, and tells the client its start. Returns false if
/// the permits become available too late. In a dry run, the client is only told the start.
bool offer(Path& path, Exchange& x, Instant now, std::span<const limit::Check> booked,
           std::span<const limit::Decision> decisions, Problem& problem) {
  auto& a = x.admission;
  const auto& checked = *a.binding;
  const auto& limit = *checked.route_limit->limit;
  const auto from = limit::due(booked, decisions, now);
  a.decisions[a.rule].retry_after = from - checked.asked_at_wall;
  problem.retry_after = seconds_up(from - path.services.clock.wall());
  if (a.peek) return true;  // A dry run has booked nothing.
  const auto made = limit::appoint(*limit.appointments, checked.used, now, from, path.services.random());
  if (!made) return false;
  const auto token =
      sign(*made, {limit.name, checked.tier->name, booked.front().key}, x.snapshot->compiled->options().signing_keys);
  note(x, *checked.tier, observe::AppointmentEvent::offered);
  x.appointments.offered = {.token = x.text.join({token}), .from = made->from, .until = made->until};
  return true;
}

}  // namespace

/// Checks whether the request keeps an appointment under this limit. A client that comes too early must wait, and may
/// use the appointment later.
MaybeProblem keep_appointment(Path& path, Exchange& x, const RouteLimit& route_limit, const ResolvedLimit& resolved) {
  const auto text = presented(x);
  if (text.empty() || x.appointments.kept) return {};
  const auto& limit = *route_limit.limit;
  const auto read =
      read_signed(text, {limit.name, resolved.tier->name, resolved.key}, x.snapshot->compiled->options().signing_keys);
  if (!read || read->cost < resolved.cost) return {};
  const auto now = path.services.clock.wall();
  const auto arrived = limit::arrival(*read, now);
  if (arrived == limit::Punctuality::late) {
    note(x, *resolved.tier, observe::AppointmentEvent::missed);
    return {};
  }
  if (arrived == limit::Punctuality::early) {
    note(x, *resolved.tier, observe::AppointmentEvent::early);
    x.appointments.offered = {.token = text.substr(0, text.find(';')), .from = read->from, .until = read->until};
    return Problem{.status = 429,
                   .ended_by = EndedBy::limit,
                   .detail = "This appointment has not begun yet. Send the request again when it has.",
                   .limit = limit.name,
                   .retry_after = seconds_up(read->from - now),
                   .wait = read->from - now,
                   .body = ProblemBody::of_rejection};
  }
  x.appointments.kept = std::make_shared<KeptAppointment>(KeptAppointment{
      .appointment = *read, .of = &route_limit, .use = limit::use_of(*read, resolved.tier->rules.front())});
  return {};
}

/// Returns whether the round was rejected because the appointment had been used before. If so, the calling function
/// repeats the round without the appointment.
bool used_before(Exchange& x, Round& round) {
  if (!x.appointments.kept || x.appointments.kept->used) return false;
  const auto* const use = &x.appointments.kept->use;
  for (const auto& checked : round.limits()) {
    if (checked.decision != LimitDecision::rejected || x.admission.checks[checked.first].rule != use) continue;
    x.appointments.kept->used = true;
    note(x, *checked.tier, observe::AppointmentEvent::missed);
    x.admission.outcome = Admission::Outcome::none;
    x.admission.binding = nullptr;
    round.drop();
    return true;
  }
  return false;
}

void offer_here(Path& path, Exchange& x, Problem& problem) {
  const auto* const checked = hands_out(x);
  if (checked == nullptr) return;
  Booking booking;
  book(x, *checked, booking);
  std::array<limit::Decision, kMaxBooking> decisions;
  const auto now = path.services.clock.wall();
  const std::span<const limit::Check> checks(booking.checks.data(), booking.checks.size());
  if (!path.services.memory.decide(checks, now, {decisions.data(), checks.size()})) return;
  if (!offer(path, x, now, checks.first(booking.debts), decisions, problem))
    path.services.memory.give_back(checks, now);
}

Task<void> offer_in_redis(Path& path, Exchange& x, Problem& problem) {
  const auto* const checked = hands_out(x);
  if (checked == nullptr) co_return;
  Booking booking;
  book(x, *checked, booking);
  std::array<limit::Decision, kMaxBooking> decisions;
  const std::span<const limit::Check> checks(booking.checks.data(), booking.checks.size());
  auto call = x.snapshot->redis->decide(checks, {decisions.data(), checks.size()});
  const auto agreed = co_await call;
  if (agreed.has_error() || !*agreed) co_return;
  if (offer(path, x, path.services.clock.wall(), checks.first(booking.debts), decisions, problem)) co_return;
  std::vector<Duration> held_for;
  for (auto& check : booking.checks) check = given_back(check);
  for (const auto& decision : std::span(decisions).first(checks.size())) held_for.push_back(decision.reset_after);
  x.snapshot->redis->settle(checks, held_for);
}

}  // namespace headgate::gateway
