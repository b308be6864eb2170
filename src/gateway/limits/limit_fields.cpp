#include "limit_fields.hpp"

#include "settle.hpp"

#include <algorithm>

namespace headgate::gateway {

std::uint64_t seconds_up(Duration duration) noexcept {
  const auto seconds = (std::max<std::int64_t>(0, duration.count()) + 999'999) / 1'000'000;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(1, seconds));
}

namespace {

struct Unit {
  std::uint64_t seconds;
  std::string_view name;
};
constexpr Unit kUnits[] = {{86'400, " day"}, {3'600, " hour"}, {60, " minute"}, {1, " second"}};

void write_many(TextCursor& out, std::uint64_t count, const Unit& unit) noexcept {
  out.number(count);
  out.text(unit.name);
  if (count != 1) out.character('s');
}

}  // namespace

void write_in_words(TextCursor& out, std::uint64_t seconds) noexcept {
  // Use the largest unit that fits at least twice, together with the next smaller unit, rounded up.
  const Unit* large = kUnits;
  while (large->seconds > 1 && seconds < 2 * large->seconds) ++large;
  if (large->seconds <= 1) return write_many(out, seconds, *large);
  const Unit& small = large[1];
  const auto rounded = (seconds + small.seconds - 1) / small.seconds * small.seconds;
  write_many(out, rounded / large->seconds, *large);
  const auto rest = rounded % large->seconds;
  if (rest == 0) return;
  out.word(" and ");
  write_many(out, rest / small.seconds, small);
}

std::string_view in_words(TextArena& text, std::uint64_t seconds) {
  return text.write(kMaxInWords, [seconds](TextCursor& out) { write_in_words(out, seconds); });
}

namespace {

/// Returns whether the answer tells the client to wait (Retry-After) for a reason other than the limit. The `t` of the
/// RateLimit field must then not be longer than that wait (draft-ietf-httpapi-ratelimit-headers-11 section 6). Answers
/// with a status below 300 tell no client to wait.
bool waits_for_other(const http::Fields& fields, bool rejected, unsigned status) noexcept {
  return !rejected && status >= 300 && http::has(fields, http::Known::retry_after);
}

}  // namespace

void append_limit_fields(Exchange& x, RejectionHeaders style, unsigned status, http::Fields& fields) {
  const auto& admission = x.admission;
  if (!admission.binding || style == RejectionHeaders::none) return;
  const auto& decision = admission.decision();
  // The gateway knows only how many permits are left in one shard, not in the others.
  const auto shards = admission.binding->shard > 0 ? admission.binding->tier->shards : 1;
  const bool rejected = admission.outcome == Admission::Outcome::rejected;
  // If the limit rejected the request and waiting helps, this is the time until a request is allowed. If the limit
  // allowed the request, this is the time until the limit is full again.
  const bool waits = rejected && decision.retry_after < limit::kNever;
  const bool settled = admission.binding->cost_from != CostFrom::request;
  const auto wait = waits ? decision.retry_after : settled && !rejected ? reset_to_tell(x) : decision.reset_after;
  // Permits in flight return when requests end. X-RateLimit-* fields describe rates, so a program would misread a
  // number of requests in flight. A balance has neither a size nor a reset: only the rest is told.
  const bool in_flight = admission.binding->route_limit->ready->in_flight;
  const bool balance = decision.limit == 0;
  const auto legacy = style != RejectionHeaders::standard && !in_flight;
  const auto standard = style != RejectionHeaders::legacy;
  std::string_view most, remaining, reset, label, told;
  if (standard) label = admission.rule_label();
  // Write all values into one text, so that memory is reserved only once.
  x.text.write(label.size() + 5 * TextCursor::kMaxDigits + 16, [&](TextCursor& out) {
    const char* at = out.at();
    const auto written = [&] {
      const std::string_view text(at, static_cast<std::size_t>(out.at() - at));
      at = out.at();
      return text;
    };
    // if waiting does not help, the field shows the remaining permits unchanged
    out.number(waits ? 0 : decision.remaining);
    remaining = written();
    if (legacy && !balance) {
      out.number(decision.limit * shards);
      most = written();
      out.number(((admission.binding->asked_at_wall + wait).time_since_epoch().count() + 999'999) / 1'000'000);
      reset = written();
    }
    if (standard) {
      out.character('"');
      out.text(label);
      out.word("\";r=");
      out.text(remaining);
      if (!in_flight && !balance && !waits_for_other(fields, rejected, status)) {
        out.word(";t=");
        out.number(seconds_up(wait));
      }
      told = written();
    }
  });
  if (legacy) {
    if (!balance) fields.push_back({http::Known::unknown, "X-RateLimit-Limit", most});
    fields.push_back({http::Known::unknown, "X-RateLimit-Remaining", remaining});
    if (!balance) fields.push_back({http::Known::unknown, "X-RateLimit-Reset", reset});
  }
  if (standard) {
    if (!balance) fields.push_back({http::Known::unknown, "RateLimit-Policy", admission.binding->tier->policy});
    fields.push_back({http::Known::unknown, "RateLimit", told});
  }
}

}  // namespace headgate::gateway
