#include "exchange_spans.hpp"

#include "trace.hpp"

#include <boost/container/static_vector.hpp>

#include <algorithm>

namespace headgate::gateway {
namespace {

constexpr std::size_t kMaxDecisions = 16;

using Decisions = boost::container::static_vector<observe::DecisionSpan, kMaxDecisions>;
using Attempts = boost::container::static_vector<observe::AttemptSpan, ExchangeTrace::kMaxAttempts>;

/// The wall clock's time of moments of this exchange.
class WallTime {
 public:
  explicit WallTime(const Exchange& x) : now_(x.clock->steady()), wall_(x.clock->wall()) {}
  Instant at(Clock::Steady moment) const {
    return wall_ - std::chrono::duration_cast<Duration>(now_ - (moment == Clock::Steady{} ? now_ : moment));
  }
  Instant ended() const noexcept { return wall_; }

 private:
  Clock::Steady now_;
  Instant wall_;
};

std::string_view decision_of(const CheckedLimit& checked) noexcept {
  if (checked.decision != LimitDecision::rejected) return "allowed";
  return checked.route_limit->limit->mode == limit::Mode::observe ? "observed" : "rejected";
}

Decisions decisions_of(const Exchange& x, const WallTime& wall) {
  Decisions out;
  for (const auto& checked : x.admission.limits) {
    if (checked.asked_at == Clock::Steady{} || out.size() == kMaxDecisions) continue;
    const auto* const decision = limit::binding({x.admission.decisions.data() + checked.first, checked.count});
    out.push_back({.id = x.random->id(),
                   .begun = wall.at(checked.asked_at),
                   .ended = wall.at(checked.asked_at) + checked.took,
                   .limit = checked.route_limit->limit->name,
                   .tier = checked.tier->name,
                   .decision = decision_of(checked),
                   .source = to_text(checked.source),
                   .remaining = decision->remaining});
  }
  const auto& place = x.capacity;
  if (place.state != CapacityPart::State::none && out.size() < kMaxDecisions)
    out.push_back({.id = x.random->id(),
                   .begun = wall.at(place.asked_at),
                   .ended = wall.at(place.asked_at) + place.took,
                   .limit = x.route->capacity->name,
                   .tier = shed::kPriorityWords[static_cast<std::size_t>(x.shedding.effective)],
                   .decision = place.state == CapacityPart::State::taken ? "allowed" : "rejected",
                   .source = to_text(place.source),
                   .remaining = place.decision.remaining});
  return out;
}

Attempts attempts_of(const Exchange& x, const WallTime& wall) {
  Attempts out;
  for (const auto& attempt : x.trace->attempts)
    out.push_back({.id = attempt.span,
                   .begun = wall.at(attempt.begun),
                   .ended = wall.at(attempt.ended),
                   .server = attempt.server,
                   .status = attempt.status,
                   .failure = attempt.failure});
  return out;
}

}  // namespace

void write_spans(const Exchange& x, const observe::AccessRecord& record, const Tracing& tracing,
                 observe::SpanLog& spans) {
  const auto& trace = *x.trace;
  const WallTime wall(x);
  const auto decisions = decisions_of(x, wall);
  const auto attempts = attempts_of(x, wall);
  observe::ExchangeSpans out;
  out.record = &record;
  out.context = trace.context;
  out.begun_here = trace.begun_here;
  out.state = trace.state;
  out.id = trace.span;
  out.begun = wall.at(x.started);
  out.ended = wall.ended();
  if (x.route) out.pattern = x.route->path;
  out.scheme = x.client_tls ? "https" : "http";
  out.client_address = tracing.client_address;
  out.decisions = {decisions.data(), decisions.size()};
  out.attempts = {attempts.data(), attempts.size()};
  spans.write(out);
}

}  // namespace headgate::gateway
