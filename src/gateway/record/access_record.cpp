#include "access_record.hpp"

#include "headgate/gateway/cost_source.hpp"
#include "headgate/net/tls/secured.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

/// Returns the kind of the credential for which the caller was refused, and the reason; "" if no credential was
/// refused.
std::string_view rejected_credential(Exchange& x) {
  if (x.ended_by != EndedBy::auth && !x.caller.failures_used_up) return {};
  const auto& auth_results = x.caller.auth_results;
  const auto bad = std::find_if(auth_results.rbegin(), auth_results.rend(),
                                [](const auto& auth_result) { return auth_result.result != observe::AuthStatus::ok; });
  if (bad == auth_results.rend()) return {};
  return x.text.join({to_text(bad->kind), ":", to_text(bad->result)});
}

/// Returns how long the stores took to decide about the limits; the time of limits that were checked together counts
/// once.
Duration deciding(const Exchange& x) noexcept {
  Duration sum{0};
  Clock::Steady last{};
  for (const auto& checked : x.admission.limits) {
    if (checked.asked_at == last) continue;
    last = checked.asked_at;
    sum += checked.took;
  }
  return sum;
}

/// `rule` is the rule to log: an index into checks and decisions.
void fill_limit(const Exchange& x, const CheckedLimit& checked, std::size_t rule, observe::AccessRecord& record) {
  const auto& a = x.admission;
  record.limit = checked.route_limit->limit->name;
  record.tier = checked.tier->name;
  record.key = a.checks[rule].key;
  record.source = to_text(checked.source);
  record.cost = checked.used;
  record.held = a.checks[rule].cost;
  if (is_settled(checked.route_limit->cost) && a.outcome == Admission::Outcome::allowed && !a.returned &&
      checked.decision == LimitDecision::allowed)
    record.cost_from = to_text(checked.cost_from);
  record.remaining = a.decisions[rule].remaining;
}

/// Chooses the limit to log. This is the limit that rejected the request, or else a limit in observe mode that would
/// have rejected it, or else the binding limit.
void fill_limits(const Exchange& x, observe::AccessRecord& record) {
  const auto& a = x.admission;
  if (a.binding && a.outcome == Admission::Outcome::rejected) {
    fill_limit(x, *a.binding, a.rule, record);
    record.decision = "rejected";
  } else if (x.ended_by == EndedBy::ban) {
    record.limit = x.problem_limit;
    record.decision = "banned";
    record.key = x.suspension.key;
    record.source =
        to_text(x.suspension.by->route_limit->limit->store == limit::Store::redis ? Source::redis : Source::memory);
  } else if (!x.problem_limit.empty()) {  // the limit rejected the request without a check
    record.limit = x.problem_limit;
    record.decision = "rejected";
    record.source =
        to_text(x.ended_by != EndedBy::limit || x.caller.failures_used_up ? Source::memory : Source::fallback);
    if (x.caller.failures_used_up) record.key = x.caller.ip_key;
  } else if (const auto* const observed = a.observed()) {
    const auto* const decision = limit::binding({a.decisions.data() + observed->first, observed->count});
    fill_limit(x, *observed, static_cast<std::size_t>(decision - a.decisions.data()), record);
    record.decision = "observed";
  } else if (a.binding) {
    fill_limit(x, *a.binding, a.rule, record);
    record.decision = "allowed";
  }
  record.retry_after = x.retry_after;
}

}  // namespace

void fill(Exchange& x, observe::AccessRecord& record) {
  record.request_id = x.request_id;
  if (x.trace) record.trace_id = x.trace->id();
  record.address = x.caller.ip_key.empty() ? x.peer : x.caller.address;
  record.method = x.request.method;
  record.host = x.request.authority;
  record.path = x.request.path;
  record.version = x.request.version;
  record.status = x.status;
  record.grpc_status = observe::to_text(x.grpc_status);
  record.ended_by = to_text(x.ended_by);
  record.route = x.route ? std::string_view(x.route->name) : "-";
  record.upstream = x.upstream;
  record.server = x.server;
  record.reason = x.reason;
  record.attempts = x.attempts;
  record.retried = x.retried;
  record.reservation = x.reservation;
  record.in_bytes = x.body_bytes;
  record.out_bytes = x.reply ? x.reply->bytes_sent() : 0;
  record.upstream_elapsed = std::chrono::duration_cast<Duration>(x.upstream_time);
  record.deciding = deciding(x);
  record.user_agent = http::value_of(x.request.fields, http::Known::user_agent);
  if (x.secured) record.tls = x.secured->version;
  record.auth = rejected_credential(x);
  record.descriptors = x.logged_call;
  fill_limits(x, record);
  record.clamped = x.admission.served ? x.clamped : 0;  // later steps may have refused it before it was written
}

void note_logged_answer(Exchange& x) {
  x.logged_answer.clear();
  append_logged(x.snapshot->compiled->options().logged->of_answer, x.fields, x.text, x.logged_answer);
}

std::span<const std::string_view> caller_values(const Exchange& x, const std::vector<std::string>& words,
                                                std::span<std::string_view> room) noexcept {
  constexpr std::string_view kClaim = "jwt.";
  constexpr std::string_view kGroup = "group:";
  std::size_t count = 0;
  for (const std::string_view word : words) {
    if (count == room.size()) break;
    auto& value = room[count++];
    if (word.starts_with(kClaim))
      value = x.caller.claim(word.substr(kClaim.size()));
    else if (word.starts_with(kGroup))
      value = x.caller.group(word.substr(kGroup.size()));
    else if (word == "basic.user")
      value = x.user;
    else
      value = x.caller.known_key ? std::string_view(x.caller.known_key->owner) : std::string_view{};
  }
  return room.first(count);
}

}  // namespace headgate::gateway
