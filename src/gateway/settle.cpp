#include "settle.hpp"

#include "outage.hpp"
#include "resolved_limit.hpp"

#include "headgate/gateway/gateway.hpp"
#include "headgate/limit/algorithm.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

using limit::How;

constexpr unsigned kFailed = 500;
constexpr std::size_t kShown = 40;  // of a value that is no cost

bool settles(const CheckedLimit& asked) noexcept { return asked.route_limit->cost.from == Cost::From::response_header; }

/// Whether what was held can still be given back: once the counter may have been as if never used, its hold is over,
/// and what is in it now is others'.
bool still_held(const limit::Rule& rule, const limit::Decision& decision, Clock::Steady::duration since) noexcept {
  return rule.algorithm->gives_back_late && since < decision.reset_after;
}

/// What is still to be taken of the `at`th ask of `asked`, below 0 to be given back, so that it has cost what was used.
std::int64_t difference_of(const Admission& a, const CheckedLimit& asked, std::size_t at,
                           Clock::Steady::duration since) noexcept {
  const auto& check = a.checks[at];
  const auto difference = asked.used - check.cost;
  if (check.how == How::observe && !a.decisions[at].allowed) return 0;
  return difference < 0 && !still_held(*check.rule, a.decisions[at], since) ? 0 : difference;
}

/// What brings the counters of `asked` from what was held to what was used.
void append_difference(const Admission& a, const CheckedLimit& asked, Clock::Steady now,
                       std::vector<limit::Check>& out) {
  const auto since = now - asked.asked_at;
  for (std::size_t i = asked.first; i < asked.first + std::size_t{asked.count}; ++i) {
    auto check = a.checks[i];
    check.cost = difference_of(a, asked, i, since);
    if (check.cost == 0) continue;
    check.how = check.cost < 0 ? How::take : asked.route_limit->cost.debt ? How::debt : How::charge;
    out.push_back(check);
  }
}

/// Tells of `asked` as if what was used had been taken at once. That is settled behind the answer; none waits for it.
void foretell(Admission& a, const CheckedLimit& asked, Clock::Steady now) noexcept {
  const auto since = now - asked.asked_at;
  for (std::size_t i = asked.first; i < asked.first + std::size_t{asked.count}; ++i) {
    auto& decision = a.decisions[i];
    const auto left = static_cast<std::int64_t>(decision.remaining) - difference_of(a, asked, i, since);
    decision.remaining =
        static_cast<std::uint64_t>(std::clamp<std::int64_t>(left, 0, static_cast<std::int64_t>(decision.limit)));
  }
}

/// Whether a request that has no answer is its server's fault, or never reached one: else whoever hangs up on a server
/// at work, or stalls, would work for free.
bool failed_by_server(const Exchange& x, const std::optional<Problem>& problem) noexcept {
  if (x.attempts == 0) return true;
  return problem && problem->ended_by != EndedBy::timeout_client && problem->ended_by != EndedBy::too_large &&
         problem->ended_by != EndedBy::bad_request && problem->ended_by != EndedBy::client_closed;
}

}  // namespace

void note_costs(Exchange& x) {
  auto& a = x.admission;
  for (auto& asked : a.limits) {
    if (!settles(asked)) continue;
    asked.settled = true;
    const auto& cost = asked.route_limit->cost;
    const auto written = http::value_of(x.answer.fields, std::string_view(cost.header));
    const auto told = cost_in(written, cost.most);
    asked.unreadable = !told && !written.empty();
    if (asked.unreadable)
      x.reason = x.text.join({"the answer's cost in ", cost.header, " is no number: ", written.substr(0, kShown)});
    if (told)
      asked.used = *told;
    else if (x.answer.status >= kFailed)
      asked.used = 0;
    foretell(a, asked, x.clock->steady());
  }
  a.bind(0);
}

// Nobody waits for it: the request is over. What a gateway holds when it dies comes back as everything taken does, as
// the limit refills: at the latest after its period, or the time its bucket takes to fill.
void Gateway::settle(Exchange& x, const Step& problem) {
  if (x.admission.returned) return;
  const bool failed = failed_by_server(x, problem);
  std::vector<limit::Check> here;
  std::vector<limit::Check> in_redis;
  for (auto& asked : x.admission.limits) {
    if (!settles(asked) || asked.asked_at == Clock::Steady()) continue;
    if (!asked.settled && failed) asked.used = 0;
    append_difference(x.admission, asked, services_.clock.steady(), asked.source == Source::redis ? in_redis : here);
    if (asked.source == Source::fallback) outage_->cost_more(x, asked);
  }
  if (!here.empty()) {
    std::array<limit::Decision, Admission::kMax> ignored;
    services_.memory.decide(here, services_.clock.wall(), {ignored.data(), here.size()});
  }
  if (!in_redis.empty()) x.snapshot->redis->settle(in_redis);
}

}  // namespace headgate::gateway
