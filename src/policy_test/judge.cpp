#include "judge.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"
#include "headgate/observe/grpc_status.hpp"

#include <algorithm>

namespace headgate::policy_test {
namespace {

using gateway::EndedBy;

enum class Fate : std::uint8_t { allowed, rejected, refused };

Fate fate_of(EndedBy ended_by, unsigned status) noexcept {
  constexpr unsigned kFirstRefusal = 400;
  switch (ended_by) {
    case EndedBy::limit:
    case EndedBy::ban:
    case EndedBy::waiting_room:
    case EndedBy::shed:
    case EndedBy::circuit:
      return Fate::rejected;
    case EndedBy::auth:
    case EndedBy::no_route:
    case EndedBy::too_large:
    case EndedBy::bad_request:
    case EndedBy::bug:
      return Fate::refused;
    case EndedBy::preflight:
      return status < kFirstRefusal ? Fate::allowed : Fate::refused;
    default:
      return Fate::allowed;  // also a request whose server did not answer in time
  }
}

/// Returns the limit's name in the configuration: "plan" even if the route uses it at a scale, as "plan@route".
std::string_view name_of_limit(const gateway::Exchange& x, std::string_view told) {
  const auto* const binding = x.admission.binding;
  const bool its_own = binding != nullptr && binding->route_limit->limit->name == told;
  return its_own ? std::string_view(binding->route_limit->ready->base) : told;
}

/// Returns the code of a call, or the gRPC status with which it failed.
std::string code_of(const engine::ArrivalResult& decided) {
  const auto& answer = *decided.call;
  if (answer.statuses.empty()) return std::string(observe::to_text(decided.exchange.grpc_status));
  return answer.over ? "OVER_LIMIT" : "OK";
}

std::string in_words(const engine::ArrivalResult& decided) {
  const auto& x = decided.exchange;
  const auto ended_by = decided.ended_by;
  const auto limit = name_of_limit(x, decided.limit);
  auto out = decided.call != nullptr ? code_of(decided) : std::to_string(decided.status);
  out.append(" (").append(gateway::to_text(ended_by)).append(")");
  const bool by_limit = ended_by == EndedBy::limit || ended_by == EndedBy::ban;
  if (by_limit && !limit.empty()) out.append(" by limit ").append(limit);
  if (x.retry_after > Duration(0)) out += ", to come back in " + to_text(x.retry_after);
  return out;
}

std::string ordinal(std::uint64_t number) {
  const auto teen = number % 100 / 10 == 1;
  const auto* const end = teen               ? "th"
                          : number % 10 == 1 ? "st"
                          : number % 10 == 2 ? "nd"
                          : number % 10 == 3 ? "rd"
                                             : "th";
  return std::to_string(number) + end;
}

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }
std::string duration_text(Duration time) { return time == Duration(0) ? "0s" : to_text(time); }
std::string or_none(const std::string& text) { return text.empty() ? "none" : in_quotes(text); }

}  // namespace

SentStep::SentStep(const config::SendStep& step, std::uint64_t first)
    : step_(step), tell_([this](const engine::ArrivalResult& decided) { end(decided); }), first_(first) {}

void SentStep::differ(const config::TestPlace& place, std::string message) {
  differences_.push_back({.place = place, .message = std::move(message), .help = {}});
}

void SentStep::end(const engine::ArrivalResult& decided) {
  ++ended_;
  const auto fate = fate_of(decided.ended_by, decided.status);
  (fate == Fate::allowed ? allowed_ : fate == Fate::rejected ? rejected_ : refused_) += 1;
  const auto nth = decided.number - first_ + 1;
  if (fate != Fate::allowed && (first_stopped_ == 0 || nth < first_stopped_)) {
    first_stopped_ = nth;
    stopped_by_ = in_words(decided);
  }
  if (nth == step_.times) keep(decided);
  if (ended_ != step_.times) return;
  compare_counts();
  compare_last();
  compare_fields();
  compare_codes();
  if (differences_.empty()) why_.reset();
}

void SentStep::keep(const engine::ArrivalResult& decided) {
  const auto& x = decided.exchange;
  const auto& admission = x.admission;
  answer_ = {.status = decided.status,
             .ended_by = decided.ended_by,
             .limit = std::string(name_of_limit(x, decided.limit)),
             .tier = std::string(decided.tier),
             .retry_after = decided.retry_after,
             .remaining = {},
             .route = x.route == nullptr ? std::string() : x.route->name,
             .upstream = std::string(x.upstream),
             .took = decided.took,
             .fields = {},
             .code = {},
             .codes = {}};
  if (admission.binding != nullptr)
    answer_.remaining = admission.outcome == gateway::Admission::Outcome::rejected ? 0 : admission.decision().remaining;
  if (decided.call == nullptr || decided.call->statuses.empty()) {
    for (const auto& field : x.fields) answer_.fields.emplace_back(field.name, field.value);
  } else {
    for (const auto& [name, value] : decided.call->headers) answer_.fields.emplace_back(name, value);
  }
  if (decided.call == nullptr) return;
  answer_.code = code_of(decided);
  for (const auto& each : decided.call->statuses) answer_.codes.emplace_back(each.over ? "OVER_LIMIT" : "OK");
}

std::string SentStep::first_in_words() const {
  if (first_stopped_ == 0) return {};
  if (step_.times == 1) return ": it got " + stopped_by_;
  return "; the " + ordinal(first_stopped_) + " was the first that was not, it got " + stopped_by_;
}

void SentStep::compare_counts() {
  const auto count = [&](const auto& expected, std::uint64_t got, const char* word) {
    if (!expected || expected->value == got) return;
    auto message = "expected " + std::to_string(expected->value) + ' ' + word + ", got " + std::to_string(got) +
                   " of " + std::to_string(step_.times);
    differ(expected->place, message + first_in_words());
  };
  count(step_.expect.allowed, allowed_, "allowed");
  count(step_.expect.rejected, rejected_, "rejected");
  count(step_.expect.refused, refused_, "refused");
}

void SentStep::compare_last() {
  const auto& expect = step_.expect;
  const std::string of_last = step_.times > 1 ? " for the last request" : "";
  const auto text = [&](const auto& expected, const std::string& got, const char* word) {
    if (expected && expected->value != got)
      differ(expected->place,
             std::string("expected ") + word + ' ' + in_quotes(expected->value) + ", got " + or_none(got) + of_last);
  };
  if (expect.status && expect.status->value != answer_.status) {
    auto message =
        "expected status " + std::to_string(expect.status->value) + ", got " + std::to_string(answer_.status);
    const bool told = fate_of(answer_.ended_by, answer_.status) != Fate::allowed && step_.times == 1;
    if (told) message = "expected status " + std::to_string(expect.status->value) + ", got " + stopped_by_;
    differ(expect.status->place, message + of_last);
  }
  text(expect.limit, answer_.limit, "limit");
  text(expect.tier, answer_.tier, "tier");
  if (expect.retry_after && expect.retry_after->value != answer_.retry_after)
    differ(expect.retry_after->place, "expected retry_after " + to_text(expect.retry_after->value) + ", got " +
                                          (answer_.retry_after > Duration(0) ? to_text(answer_.retry_after) : "none") +
                                          of_last);
  if (expect.remaining && (!answer_.remaining || expect.remaining->value != *answer_.remaining))
    differ(expect.remaining->place,
           "expected remaining " + std::to_string(expect.remaining->value) + ", got " +
               (answer_.remaining ? std::to_string(*answer_.remaining) : "none: no limit was asked") + of_last);
  text(expect.route, answer_.route, "route");
  text(expect.upstream, answer_.upstream, "upstream");
  if (expect.took && expect.took->value != answer_.took)
    differ(expect.took->place, "expected it to take " + duration_text(expect.took->value) + ", it took " +
                                   duration_text(answer_.took) + of_last);
}

void SentStep::compare_fields() {
  for (const auto& expected : step_.expect.fields) {
    std::vector<std::string> got;
    for (const auto& [name, value] : answer_.fields)
      if (same_word(name, expected.name)) got.push_back(in_quotes(value));
    const auto* const value = std::get_if<std::string>(&expected.value);
    const bool holds = value != nullptr                 ? got == std::vector<std::string>{in_quotes(*value)}
                       : std::get<bool>(expected.value) ? !got.empty()
                                                        : got.empty();
    if (holds) continue;
    const auto wanted = value != nullptr                 ? expected.name + ": " + *value
                        : std::get<bool>(expected.value) ? "a field " + expected.name
                                                         : "no field " + expected.name;
    differ(expected.place, "expected " + wanted + ", got " + (got.empty() ? "none" : joined(got, ", ")));
  }
}

void SentStep::compare_codes() {
  const auto& expect = step_.expect;
  const std::string of_last = step_.times > 1 ? " for the last call" : "";
  if (expect.code && expect.code->value != answer_.code)
    differ(expect.code->place, "expected code " + expect.code->value + ", got " + answer_.code + of_last);
  if (expect.codes && expect.codes->value != answer_.codes)
    differ(expect.codes->place, "expected codes " + joined(expect.codes->value, ", ") + ", got " +
                                    (answer_.codes.empty() ? "none, because the call failed with " + answer_.code
                                                           : joined(answer_.codes, ", ")) +
                                    of_last);
}

}  // namespace headgate::policy_test
