#include "trace.hpp"

#include "headgate/core/hash.hpp"

#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace headgate::gateway {
namespace {

constexpr std::string_view kParent = "traceparent";
constexpr std::string_view kState = "tracestate";

bool is_trace_field(const http::Field& field) noexcept {
  return field.id == http::Known::unknown && field.name.size() > 9 &&
         (http::same_word(field.name, kParent) || http::same_word(field.name, kState));
}

/// Returns the context in the fields. If there are several fields, all of them are ignored, because none is more valid
/// than another (section 3.2).
std::optional<observe::TraceContext> context_of(const http::Fields& fields) noexcept {
  std::string_view value;
  std::size_t count = 0;
  for (const auto& field : fields) {
    if (field.id != http::Known::unknown || !http::same_word(field.name, kParent)) continue;
    value = field.value;
    ++count;
  }
  return count == 1 ? observe::parse_traceparent(value) : std::nullopt;
}

void read_state(const http::Fields& fields, ExchangeTrace& trace) {
  std::vector<std::string_view> values;
  for (const auto& field : fields)
    if (field.id == http::Known::unknown && http::same_word(field.name, kState)) values.push_back(field.value);
  if (values.empty()) return;
  trace.keeps_state = observe::is_tracestate(values);
  if (trace.keeps_state) trace.state = values.front();
}

// The letters of "sampling", so that this use of the hash differs from the hashes of counters' names.
constexpr std::uint64_t kSampling = 0x73616D70'6C696E67;

/// Returns whether a trace whose id the caller chose is in the share of traces to record. Callers do not know which ids
/// are in the share, so they cannot force a recording. Every request of one trace gets the same result on this gateway.
bool in_share_unseen(const observe::TraceContext& told, std::uint64_t below) noexcept {
  const std::array<std::uint64_t, 2> id{told.high, told.low};
  return observe::in_share(keyed_hash({reinterpret_cast<const char*>(id.data()), sizeof id}, kSampling).low, below);
}

bool sampled(const std::optional<observe::TraceContext>& told, const observe::TraceContext& context,
             const Tracing& tracing) noexcept {
  if (!told) return observe::in_share(context.low, tracing.sample_below);
  return tracing.parent_based ? told->sampled : in_share_unseen(*told, tracing.sample_below);
}

}  // namespace

void begin_trace(Exchange& x, const Tracing& tracing) {
  x.trace = std::make_unique<ExchangeTrace>();
  auto& trace = *x.trace;
  const auto told = context_of(x.request.fields);
  trace.begun_here = !told;
  if (told) {
    trace.context = *told;
    read_state(x.request.fields, trace);
  } else {
    trace.context = {.high = x.random->id(), .low = x.random->id(), .parent = x.random->id(), .random = true};
  }
  auto sent = trace.context;
  sent.sampled = sampled(told, trace.context, tracing);
  const bool records = sent.sampled && tracing.records;
  if (records) trace.span = x.random->id();
  // A gateway that changes the trace context must put a span id of its own into it (section 3.3).
  if (records)
    sent.parent = trace.span;
  else if (told && sent.sampled != told->sampled)
    sent.parent = x.random->id();
  trace.context.sampled = sent.sampled;
  trace.traceparent = observe::to_traceparent(sent);
}

void replace_trace_fields(const Exchange& x, http::Fields& out) {
  const auto& trace = *x.trace;
  std::erase_if(out, [&trace](const http::Field& field) {
    return is_trace_field(field) && (!trace.keeps_state || !http::same_word(field.name, kState));
  });
  out.push_back({http::Known::unknown, kParent, {trace.traceparent.data(), trace.traceparent.size()}});
}

void begin_attempt(Exchange& x) {
  auto& trace = *x.trace;
  if (!trace.recorded() || trace.attempts.size() == ExchangeTrace::kMaxAttempts) return;
  auto& attempt = trace.attempts.emplace_back();
  attempt.span = x.random->id();
  attempt.begun = x.clock->steady();
  observe::put_span(trace.traceparent, attempt.span);
}

void end_attempt(Exchange& x, unsigned status, std::string_view failure) {
  auto& trace = *x.trace;
  if (trace.attempts.empty() || trace.attempts.back().ended != Clock::Steady{}) return;
  auto& attempt = trace.attempts.back();
  attempt.ended = x.clock->steady();
  attempt.status = status;
  attempt.failure = failure;
  attempt.server = x.server;
}

namespace {

constexpr std::size_t kMaxDecisions = 16;

using Decisions = boost::container::static_vector<observe::DecisionSpan, kMaxDecisions>;
using Attempts = boost::container::static_vector<observe::AttemptSpan, ExchangeTrace::kMaxAttempts>;

/// Converts moments of this exchange to the wall clock.
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
