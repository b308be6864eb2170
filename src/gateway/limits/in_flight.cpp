#include "in_flight.hpp"

#include "gateway/rooms/process_name.hpp"

#include "headgate/gateway/exchange_counters.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/in_flight.hpp"

#include <boost/container/static_vector.hpp>

#include <utility>

namespace headgate::gateway {
namespace {

constexpr Duration kRenewal = limit::kFlightLease / 3;
constexpr Duration kRenewalTick = std::chrono::milliseconds(250);
constexpr std::size_t kMaxRenewed = 256;  // in one tick: others have calls to Redis to make, too

using Checks = boost::container::static_vector<limit::Check, Admission::kMax>;

/// Calls `visit(checked, check)` with each permit that `x` holds.
template <class SomeExchange, class Visit>
void each_permit(SomeExchange& x, Visit visit) {
  auto& a = x.admission;
  for (auto& checked : a.held_limits()) {
    if (!checked.route_limit->ready->in_flight) continue;
    for (std::size_t i = checked.first; i < checked.first + std::size_t{checked.count}; ++i)
      if (a.decisions[i].allowed) visit(checked, i);
  }
}

/// Whether Redis holds its permits or should. If they were counted here, a call whose answer was lost or a renewal may
/// have put them there; nobody tries while Redis is away.
bool may_be_in_redis(const Exchange& x, const CheckedLimit& checked) noexcept {
  return checked.source == Source::redis || (checked.source == Source::fallback && x.snapshot->redis->up());
}

/// The permit of check `at` in Redis, also if it was counted here because Redis was away.
limit::Check in_redis(const Exchange& x, const CheckedLimit& checked, std::size_t at, std::int64_t cost,
                      limit::How how) {
  auto check = x.admission.checks[at];
  check.rule = &checked.tier->rules[at - checked.first];
  check.cost = cost;
  check.how = how;
  check.token = x.flight.token;
  return check;
}

}  // namespace

InFlight::InFlight(Clock& clock, limit::Limiter& memory, Turns& turns, Random& random)
    : clock_(clock),
      memory_(memory),
      turns_(turns),
      process_(process_name(random)),
      alarm_(clock.alarm(&InFlight::on_alarm, this)) {}

InFlight::~InFlight() = default;

void InFlight::name(Exchange& x) {
  if (x.flight.token.empty()) x.flight.token = x.text.join({process_, x.text.number(++exchanges_)});
}

void InFlight::show(Exchange& x) {
  each_permit(x, [&](CheckedLimit& checked, std::size_t) {
    if (!std::exchange(checked.shown, true)) x.snapshot->counters->permits(checked, 1);
  });
}

void InFlight::keep(Exchange& x) {
  bool any = false;
  each_permit(x, [&](const CheckedLimit& checked, std::size_t) { any = any || checked.source != Source::memory; });
  if (!any || !alarm_ || x.in_flight.is_linked()) return;  // linked: it holds one of an earlier stage already
  x.flight.renewed_at = clock_.steady();
  kept_.push_back(x);
  arm();
}

void InFlight::release(Exchange& x) {
  if (x.in_flight.is_linked()) x.in_flight.unlink();
  for (auto& checked : x.admission.limits)
    if (std::exchange(checked.shown, false)) x.snapshot->counters->permits(checked, -1);
  if (x.admission.returned) return;
  Checks here;
  Checks there;
  each_permit(x, [&](const CheckedLimit& checked, std::size_t at) {
    if (checked.source != Source::redis) here.push_back(x.admission.checks[at]);
    if (may_be_in_redis(x, checked)) there.push_back(in_redis(x, checked, at, -1, limit::How::take));
  });
  if (!here.empty()) memory_.give_back({here.data(), here.size()}, clock_.wall());
  if (!there.empty()) x.snapshot->redis->settle({there.data(), there.size()});
  turns_.freed({here.data(), here.size()});
  turns_.freed({there.data(), there.size()});
}

void InFlight::stop() {
  alarm_.reset();
  kept_.clear();
}

void InFlight::renew(Exchange& x) {
  Checks checks;
  each_permit(x, [&](const CheckedLimit& checked, std::size_t at) {
    if (may_be_in_redis(x, checked)) checks.push_back(in_redis(x, checked, at, 1, limit::How::debt));
  });
  if (!checks.empty()) x.snapshot->redis->settle({checks.data(), checks.size()});
}

void InFlight::arm() {
  if (armed_ || !alarm_) return;
  armed_ = true;
  alarm_->set(kRenewalTick);
}

void InFlight::on_alarm(void* self) {
  auto& flights = *static_cast<InFlight*>(self);
  flights.armed_ = false;
  const auto now = flights.clock_.steady();
  for (std::size_t renewed = 0; renewed < kMaxRenewed && !flights.kept_.empty(); ++renewed) {
    auto& oldest = flights.kept_.front();
    if (now - oldest.flight.renewed_at < kRenewal) break;
    flights.renew(oldest);
    oldest.flight.renewed_at = now;
    flights.kept_.splice(flights.kept_.end(), flights.kept_, flights.kept_.begin());
  }
  if (!flights.kept_.empty()) flights.arm();
}

}  // namespace headgate::gateway
