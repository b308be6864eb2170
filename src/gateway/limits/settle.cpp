#include "settle.hpp"

#include "gateway/bodies/body_values.hpp"
#include "grpc_outcome.hpp"
#include "outage.hpp"
#include "resolved_limit.hpp"
#include "unanswered.hpp"

#include "headgate/gateway/bodies/assumed_cost.hpp"
#include "headgate/gateway/candidate.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/settled.hpp"

#include <algorithm>
#include <optional>

namespace headgate::gateway {
namespace {

using limit::How;

constexpr unsigned kRefused = 400;
constexpr unsigned kFailed = 500;
constexpr std::size_t kShown = 40;  // bytes of a malformed cost that are logged

bool asks_for_cost(const CheckedLimit& checked) noexcept {
  return !checked.route_limit->ready->in_flight && is_settled(checked.route_limit->cost);
}

bool asks_for_cost(const UncheckedUse& use) noexcept { return is_settled(use.route_limit->cost); }

/// Returns whether the cost is in the body of the answer, so that the head does not say it.
template <class CheckOrUse>
bool is_known_at_end(const CheckOrUse& taken) noexcept {
  return asks_for_cost(taken) && taken.route_limit->cost.from->known == CostKnown::at_end;
}

template <class CheckOrUse>
bool counts_answers(const CheckOrUse& checked) noexcept {
  return !checked.route_limit->limit->counted_statuses.empty();
}

template <class CheckOrUse>
bool counts(const CheckOrUse& checked, unsigned status) noexcept {
  const auto& statuses = checked.route_limit->limit->counted_statuses;
  return std::binary_search(statuses.begin(), statuses.end(), status);
}

/// Changes of counters, and for each of them the time for which its permits can be given back.
struct Differences {
  std::vector<limit::Check> checks;
  std::vector<Duration> held_for;
};

/// Returns whether the hold can still be returned. As soon as the counter may be full again, the hold has expired, and
/// its permits belong to others. A balance never refills, so its holds do not expire.
bool still_held(const limit::Rule& rule, const limit::Decision& decision, Clock::Steady::duration since) noexcept {
  return rule.algorithm->gives_back_late && since < decision.reset_after;
}

/// Returns the permits to take for check `at`, so that the used cost is charged in total; negative to return permits.
std::int64_t difference_of(const Admission& a, const CheckedLimit& checked, std::size_t at,
                           Clock::Steady::duration since) noexcept {
  const auto& check = a.checks[at];
  const auto difference = checked.used - check.cost;
  if (check.how == How::observe && !a.decisions[at].allowed) return 0;
  return difference < 0 && !still_held(*check.rule, a.decisions[at], since) ? 0 : difference;
}

/// Appends the checks that change the counters of `checked` from the hold to the used cost.
void append_difference(const Admission& a, const CheckedLimit& checked, Clock::Steady now, Differences& out) {
  const auto since = now - checked.asked_at;
  for (std::size_t i = checked.first; i < checked.first + std::size_t{checked.count}; ++i) {
    auto check = a.checks[i];
    check.cost = difference_of(a, checked, i, since);
    if (check.cost == 0) continue;
    check.how = check.cost < 0 ? How::take : checked.route_limit->cost.debt ? How::debt : How::charge;
    out.checks.push_back(check);
    out.held_for.push_back(a.decisions[i].reset_after - std::chrono::duration_cast<Duration>(since));
  }
}

/// Makes the decisions of `checked` look as if the used cost had been taken at once, because settling happens later and
/// no answer waits for it.
void settle_decisions(Admission& a, const CheckedLimit& checked, Clock::Steady now) noexcept {
  const auto since = now - checked.asked_at;
  for (std::size_t i = checked.first; i < checked.first + std::size_t{checked.count}; ++i) {
    auto& decision = a.decisions[i];
    const auto left = static_cast<std::int64_t>(decision.remaining) - difference_of(a, checked, i, since);
    const auto most = decision.limit > 0 ? decision.limit : kMaxRequests;  // a balance has no limit
    decision.remaining = static_cast<std::uint64_t>(std::clamp<std::int64_t>(left, 0, static_cast<std::int64_t>(most)));
  }
}

/// Returns whether the cost is still unknown because the answer has not named it yet.
template <class CheckOrUse>
bool is_untold(const CheckOrUse& taken) noexcept {
  return taken.cost_from == CostFrom::request || taken.cost_from == CostFrom::status;
}

CostReading told_cost(const Exchange& x, const RouteLimit& each) {
  if (const auto assumed = assumed_cost_of(x, each)) [[unlikely]]
    return {.cost = assumed};
  return each.cost.from->told(x, each.cost);
}

template <class CheckOrUse>
void read_cost(Exchange& x, CheckOrUse& taken) {
  const auto& cost = taken.route_limit->cost;
  const auto told = told_cost(x, *taken.route_limit);
  taken.cost_from = !told.unreadable.empty() ? CostFrom::unreadable
                    : told.counted           ? CostFrom::counted
                    : told.cost              ? CostFrom::answer
                                             : CostFrom::none;
  if (!told.unreadable.empty())
    x.reason = x.text.join({"the answer's cost in ", cost.name, " is no number: ", told.unreadable.substr(0, kShown)});
  if (told.cost)
    taken.used = *told.cost;
  else if (x.answer.status >= (is_known_at_end(taken) ? kRefused : kFailed))
    taken.used = 0;
}

/// Finds the cost of an answer with this status. `says_cost` is set for a server's answer, which may name its cost.
/// Returns false if the cost does not depend on the answer or is already known.
template <class CheckOrUse>
bool read_answer(Exchange& x, CheckOrUse& taken, std::optional<unsigned> status, bool says_cost) {
  const bool by_cost = says_cost && asks_for_cost(taken) && !is_known_at_end(taken);
  const bool by_status = status && counts_answers(taken);
  if (taken.cost_from != CostFrom::request || (!by_cost && !by_status)) return false;
  if (by_status) taken.cost_from = CostFrom::status;
  if (by_cost) read_cost(x, taken);
  if (by_status && !counts(taken, *status)) taken.used = 0;
  return true;
}

/// Reads a cost that stands in the bodies, once nothing more of them passes. An answer that does not say its cost costs
/// nothing if it is an error, otherwise the hold. An answer whose status does not count costs nothing.
template <class CheckOrUse>
bool read_bodies(Exchange& x, CheckOrUse& taken) {
  if (!x.bodies || !x.bodies->answer_begun() || !is_known_at_end(taken)) return false;
  const bool uncounted = taken.cost_from == CostFrom::status && taken.used == 0;
  if (!uncounted) read_cost(x, taken);
  return !uncounted;
}

void note_answer(Exchange& x, std::optional<unsigned> status, bool says_cost) {
  auto& a = x.admission;
  if (a.returned) return;
  bool any = false;
  for (auto& checked : a.limits) {
    if (checked.asked_at == Clock::Steady() || !read_answer(x, checked, status, says_cost)) continue;
    settle_decisions(a, checked, x.clock->steady());
    any = true;
  }
  for (auto& use : a.unchecked) read_answer(x, use, status, says_cost);
  if (any) a.bind(0);
}

/// Sends the changes to the stores.
void send_differences(const Exchange& x, limit::Limiter& memory, const Differences& here, const Differences& in_redis) {
  if (!here.checks.empty()) {
    std::array<limit::Decision, Admission::kMax> ignored;
    memory.decide(here.checks, x.clock->wall(), {ignored.data(), here.checks.size()});
  }
  if (!in_redis.checks.empty()) x.snapshot->redis->settle(in_redis.checks, in_redis.held_for);
}

/// Sets the cost that the caller has reported for this limit, or the hold if it has reported none. Returns false if
/// the cost is not reported by callers or is already known.
template <class CheckOrUse>
bool take_reported(CheckOrUse& taken, std::span<const ReportedCost> reported) {
  if (!asks_for_cost(taken) || !is_untold(taken)) return false;
  taken.cost_from = CostFrom::none;
  for (const auto& [limit, used] : reported) {
    if (limit != taken.route_limit->limit->name) continue;
    taken.cost_from = CostFrom::answer;
    taken.used = std::min(used, taken.route_limit->cost.most);
  }
  return true;
}

}  // namespace

bool holds_reported_cost(const Exchange& x) {
  const auto asks = [](const auto& taken) { return asks_for_cost(taken); };
  return std::ranges::any_of(x.admission.held_limits(), asks) || std::ranges::any_of(x.admission.unchecked, asks);
}

void note_reported(Exchange& x, std::span<const ReportedCost> reported) {
  auto& a = x.admission;
  for (auto& checked : a.limits)
    if (take_reported(checked, reported)) settle_decisions(a, checked, x.clock->steady());
  for (auto& use : a.unchecked) take_reported(use, reported);
}

void cancel_costs(Exchange& x, limit::Limiter& memory, Outage& outage) {
  if (x.admission.returned) return;
  Differences here;
  Differences in_redis;
  for (auto& checked : x.admission.held_limits()) {
    if (checked.route_limit->ready->in_flight || checked.decision == LimitDecision::kept) continue;
    checked.used = 0;
    append_difference(x.admission, checked, x.clock->steady(), checked.source == Source::redis ? in_redis : here);
    if (checked.source == Source::fallback) outage.cost_more(x, checked);
  }
  for (auto& use : x.admission.unchecked) use.used = 0;
  send_differences(x, memory, here, in_redis);
}

// The decision keeps the reset time of the hold, which limits how long the hold can be returned.
Duration reset_to_tell(const Exchange& x) {
  const auto& a = x.admission;
  const auto& checked = *a.binding;
  const auto since = x.clock->steady() - checked.asked_at;
  return limit::settled_reset(a.decision(), a.binding_rule(), difference_of(a, checked, a.rule, since),
                              checked.route_limit->cost.debt ? How::debt : How::charge,
                              std::chrono::duration_cast<Duration>(since));
}

void note_told(Exchange& x) {
  if (x.bodies) x.bodies->begin_answer(x);
  x.unanswered = !status_that_counts(x);  // a message of a gRPC call may count as an answer, too (note_answering)
  if (x.route->takes(Step::settle)) note_costs(x);
  if (x.candidate != nullptr) [[unlikely]]
    Candidate::answered(x);
}

void note_costs(Exchange& x) { note_answer(x, status_that_counts(x), true); }

void note_status(Exchange& x, unsigned status) {
  if (!avoided_answer(x)) note_answer(x, status, false);
}

void note_late_status(Exchange& x, unsigned status) {
  if (x.admission.returned || avoided_answer(x)) return;
  const auto note = [&](auto& taken) {
    if (!counts_answers(taken)) return;
    if (is_untold(taken)) taken.cost_from = CostFrom::status;
    if (!counts(taken, status)) taken.used = 0;
  };
  for (auto& checked : x.admission.limits)
    if (checked.asked_at != Clock::Steady()) note(checked);
  for (auto& use : x.admission.unchecked) note(use);
}

// No request waits for the result. If a gateway is killed while it holds permits, they return as the limit refills: at
// the latest after its period, or after the time that its bucket needs to fill.
void settle(Exchange& x, limit::Limiter& memory, Outage& outage) {
  if (x.admission.returned) return;
  const bool bug = x.ended_by == EndedBy::bug;  // a step threw, so no answer will settle the holds
  const bool untold = awaits_trailers(x) && x.status != 0;
  if (untold) note_late_status(x, x.status);  // the exchange ended before the trailers that carry the status
  const bool served = x.admission.served || bug;
  const bool free = !avoided_answer(x);  // there was no answer: the server failed, or no request was sent to one
  if (free) note_status(x, 0);
  if (x.bodies) x.bodies->end_answer();
  Differences here;
  Differences in_redis;
  for (auto& checked : x.admission.limits) {
    const bool by_cost = served && asks_for_cost(checked);
    if ((!by_cost && !counts_answers(checked)) || checked.asked_at == Clock::Steady()) continue;
    if (by_cost && read_bodies(x, checked)) settle_decisions(x.admission, checked, x.clock->steady());
    if (is_untold(checked) && by_cost && free) checked.used = 0;
    append_difference(x.admission, checked, x.clock->steady(), checked.source == Source::redis ? in_redis : here);
    if (checked.source == Source::fallback) outage.cost_more(x, checked);
  }
  for (auto& use : x.admission.unchecked) {
    if (served && asks_for_cost(use)) read_bodies(x, use);
    if (is_untold(use) && free && served && asks_for_cost(use)) use.used = 0;
  }
  send_differences(x, memory, here, in_redis);
}

}  // namespace headgate::gateway
