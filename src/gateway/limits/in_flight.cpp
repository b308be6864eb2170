#include "in_flight.hpp"

#include "gateway/limits/limit_counters.hpp"
#include "process_name.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/in_flight.hpp"
#include "headgate/shed/overload.hpp"

#include <boost/container/static_vector.hpp>

#include <algorithm>

namespace headgate::gateway {
namespace {

constexpr Duration kRenewal = limit::kFlightLease / 3;
constexpr Duration kRenewalTick = std::chrono::milliseconds(250);
// The largest number of permits that are renewed in one tick; if more are due, the next tick follows after kTickBehind.
// As long as a call to Redis takes less than a tick, this bound leaves half of a worker's concurrent calls for other
// uses. At this rate, 17,000 permits are renewed in time, and 50,000 before they expire.
constexpr std::size_t kMaxRenewed = 256;
constexpr Duration kTickBehind = std::chrono::milliseconds(50);

using Checks = boost::container::static_vector<limit::Check, Admission::kMax + 1>;

struct Permit {
  Source source;
  const limit::Check& check;
  const limit::Rule& there;  ///< the rule for Redis, also if the permit was counted locally while Redis was down
};

/// Calls `visit` with each permit that `x` holds, and with its place at the upstream.
template <class Visit>
void each_permit(const Exchange& x, Visit visit) {
  const auto& a = x.admission;
  for (const auto& checked : a.held_limits()) {
    if (!checked.route_limit->ready->in_flight) continue;
    for (std::size_t i = 0; i < checked.count; ++i)
      if (a.decisions[checked.first + i].allowed)
        visit(Permit{checked.source, a.checks[checked.first + i], checked.tier->rules[i]});
  }
  const auto& place = x.capacity;
  if (place.state == CapacityPart::State::taken)
    visit(Permit{place.source, place.check,
                 x.route->capacity->sizes()[static_cast<std::size_t>(x.shedding.effective)].front().all});
}

/// Adds `more` (1 or -1) to the metric of each limit from index `first` on in which the exchange holds a permit.
void show_permits(const Exchange& x, std::size_t first, int more) noexcept {
  const auto& a = x.admission;
  for (const auto& checked : a.held_limits().subspan(std::min(first, a.held))) {
    const auto* const decision = a.decisions.data() + checked.first;
    if (checked.route_limit->ready->in_flight &&
        std::any_of(decision, decision + checked.count, [](const auto& each) { return each.allowed; }))
      x.snapshot->counters->of<TierCounters>().permits(*checked.tier, more);
  }
}

/// Returns whether Redis holds the permit or should hold it. A permit that was counted locally may also be in Redis,
/// because a renewal or a call whose answer was lost may have stored it. While Redis is down, the result for such a
/// permit is false, because no call can be made.
bool may_be_in_redis(const Exchange& x, const Permit& permit) noexcept {
  return permit.source == Source::redis || (permit.source == Source::fallback && x.snapshot->redis->up());
}

limit::Check in_redis(const Exchange& x, const Permit& permit, std::int64_t cost, limit::How how) {
  auto check = permit.check;
  check.rule = &permit.there;
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

void InFlight::show(const Exchange& x, std::size_t first) { show_permits(x, first, 1); }

void InFlight::keep(Exchange& x) {
  bool any = false;
  each_permit(x, [&](const Permit& permit) { any = any || permit.source != Source::memory; });
  // an exchange in the list is renewed already, because it holds a permit of an earlier stage
  if (!any || !alarm_ || x.in_flight.is_linked()) return;
  x.flight.renewed_at = clock_.steady();
  kept_.push_back(x);
  arm(kRenewalTick);
}

void InFlight::release(Exchange& x) {
  if (x.in_flight.is_linked()) x.in_flight.unlink();
  if (x.admission.returned) return;
  show_permits(x, 0, -1);
  if (x.capacity.state == CapacityPart::State::taken) {
    x.snapshot->counters->of<CapacityCounters>().places(x, -1);
    if (auto* const overload = x.snapshot->upstreams[x.route->upstream]->overload())
      overload->ended(shed::Layer::fleet, std::chrono::duration_cast<Duration>(clock_.steady() - x.capacity.asked_at));
  }
  Checks here;
  Checks there;
  each_permit(x, [&](const Permit& permit) {
    if (permit.source != Source::redis) here.push_back(permit.check);
    if (may_be_in_redis(x, permit)) there.push_back(in_redis(x, permit, -1, limit::How::take));
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
  each_permit(x, [&](const Permit& permit) {
    if (may_be_in_redis(x, permit)) checks.push_back(in_redis(x, permit, 1, limit::How::debt));
  });
  if (!checks.empty()) x.snapshot->redis->settle({checks.data(), checks.size()});
}

void InFlight::arm(Duration after) {
  if (armed_ || !alarm_) return;
  armed_ = true;
  alarm_->set(after);
}

void InFlight::on_alarm(void* self) {
  auto& flights = *static_cast<InFlight*>(self);
  flights.armed_ = false;
  const auto now = flights.clock_.steady();
  const auto due = [&] { return !flights.kept_.empty() && now - flights.kept_.front().flight.renewed_at >= kRenewal; };
  for (std::size_t renewed = 0; renewed < kMaxRenewed && due(); ++renewed) {
    auto& oldest = flights.kept_.front();
    flights.renew(oldest);
    oldest.flight.renewed_at = now;
    flights.kept_.splice(flights.kept_.end(), flights.kept_, flights.kept_.begin());
  }
  if (!flights.kept_.empty()) flights.arm(due() ? kTickBehind : kRenewalTick);
}

}  // namespace headgate::gateway
