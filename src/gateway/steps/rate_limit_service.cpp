#include "rate_limit_service.hpp"

#include "gateway/exchange/body_problem.hpp"
#include "gateway/limits/limit_fields.hpp"
#include "gateway/path/path.hpp"
#include "steps.hpp"

#include "headgate/gateway/answer.hpp"
#include "headgate/gateway/descriptors/rate_limit_call.hpp"
#include "headgate/gateway/exchange_counters.hpp"
#include "headgate/identity/client_address.hpp"
#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace headgate::gateway {
namespace {

constexpr std::string_view kShouldRateLimit = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
constexpr std::size_t kLongestCall = 64UL * 1'024;
constexpr std::size_t kGrpcPrefix = 5;  // flags, and the length of the message
constexpr std::size_t kMaxDescriptors = 64;

Problem invalid_call(std::string_view why) { return {.status = 422, .ended_by = EndedBy::bad_request, .detail = why}; }

/// Reads the message of the call. Returns the problem, or sets `out` to the message.
Task<MaybeProblem> read_message(Exchange& x, std::string& out) {
  if (!x.body->take_at_most(kLongestCall)) co_return invalid_call("The message is longer than 64 KiB.");
  while (!x.body->ended()) {
    const auto bytes = co_await x.body->read();
    if (bytes.has_error()) co_return problem_of_body(bytes.error());
    out.append(*bytes);
    x.body_bytes += bytes->size();
  }
  if (out.size() < kGrpcPrefix) co_return invalid_call("The call has no message.");
  if (out.front() != 0) co_return invalid_call("The message is compressed, and no compression was agreed on.");
  std::size_t length = 0;
  for (std::size_t i = 1; i < kGrpcPrefix; ++i) length = length << 8 | static_cast<unsigned char>(out[i]);
  if (length != out.size() - kGrpcPrefix) co_return invalid_call("The call has not exactly one message.");
  out.erase(0, kGrpcPrefix);
  co_return MaybeProblem{};
}

envoy::RateUnit rate_unit_of(const limit::Rule& rule) noexcept {
  using std::chrono::hours;
  if (rule.rate.month) return envoy::RateUnit::month;
  if (rule.rate.period == std::chrono::seconds(1)) return envoy::RateUnit::second;
  if (rule.rate.period == std::chrono::minutes(1)) return envoy::RateUnit::minute;
  if (rule.rate.period == hours(1)) return envoy::RateUnit::hour;
  if (rule.rate.period == hours(24)) return envoy::RateUnit::day;
  return envoy::RateUnit::none;
}

std::int64_t told_seconds(Duration wait) noexcept {
  return wait >= limit::kNever ? 0 : static_cast<std::int64_t>(wait > Duration(0) ? seconds_up(wait) : 0);
}

/// Returns the status of a descriptor: the rule that its caller should be told.
envoy::DescriptorStatus descriptor_status(const Exchange& x, std::size_t descriptor) {
  const auto& a = x.admission;
  envoy::DescriptorStatus out;
  const limit::Decision* told = nullptr;
  for (std::size_t i = 0; i < a.limits.size(); ++i) {
    const auto& checked = a.limits[i];
    if (x.rate_limit->of_limit[i] != descriptor || checked.route_limit->limit->mode == limit::Mode::observe) continue;
    for (std::size_t at = checked.first; at < checked.first + std::size_t{checked.count}; ++at) {
      const auto& decision = a.decisions[at];
      if (told != nullptr && !limit::binds_before(decision, *told)) continue;
      told = &decision;
      const auto& rule = *a.checks[at].rule;
      out = {.over = !decision.allowed,
             .limit = checked.route_limit->limit->name,
             .count = rule.rate.count,
             .unit = rate_unit_of(rule),
             .remaining = decision.remaining,
             .reset_seconds = told_seconds(decision.allowed ? decision.reset_after : decision.retry_after)};
    }
  }
  return out;
}

bool is_plain_ascii(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](unsigned char c) { return c >= ' ' && c < 0x7F; });
}

/// Adds what the client of the proxy should get, and what the proxy's log may have.
void tell_binding(Exchange& x, envoy::RateLimitResponse& out) {
  const auto& a = x.admission;
  if (a.binding == nullptr) return;
  http::Fields fields;
  append_limit_fields(x, x.snapshot->compiled->options().rejection.headers, out.over ? 429 : 200, fields);
  for (const auto& field : fields) out.headers.emplace_back(field.name, field.value);
  const auto wait = a.decision().retry_after;
  if (out.over && wait < limit::kNever) {
    x.retry_after = wait;
    out.headers.emplace_back("Retry-After", std::to_string(seconds_up(wait)));
  }
  out.metadata.emplace_back("limit", a.binding->route_limit->limit->name);
  const auto key = a.checks[a.rule].key;
  if (is_plain_ascii(key)) out.metadata.emplace_back("key", key);
}

Task<void> send_decision(Exchange& x, const std::string& message, bool over) {
  constexpr unsigned kTooMany = 429;
  std::string bytes(1, '\0');
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(message.size() >> shift & 0xFF);
  bytes += message;
  x.fields.clear();
  x.fields.push_back({http::Known::content_type, "Content-Type", "application/grpc"});
  http::Fields trailers;
  trailers.push_back({http::Known::unknown, "grpc-status", "0"});
  AnswerStart answer{.start = {.trailers = &trailers}, .counts_as = over ? kTooMany : 0};
  auto sent = co_await send_answer<AnswerFrom::gateway>(x, answer, bytes, http::EndStream::no);
  if (sent.has_value()) sent = co_await x.reply->finish(trailers);
  if (sent.has_error()) x.ended_by = EndedBy::client_closed;
}

/// Finds the routes of the descriptors; x.route becomes the first of them.
void match_descriptors(Exchange& x, RateLimitCall& call) {
  const auto& routes = x.snapshot->compiled->descriptor_routes();
  for (std::size_t i = 0; i < call.request.descriptors.size(); ++i)
    if (const auto* const route = routes.find(call.request.domain, call.request.descriptors[i]))
      call.matched.push_back({route, i});
  if (!call.matched.empty()) x.route = call.matched.front().route;
}

/// Returns how many rates count the descriptors of the call.
std::size_t rates_of(const RateLimitCall& call) {
  std::size_t out = 0;
  for (const auto& matched : call.matched)
    for (const auto& each : matched.route->plan) out += each.ready->tiers.front().rules.size();
  return out;
}

/// Gives the exchange its call until the end of the scope.
class CallInScope {
 public:
  CallInScope(Exchange& x, RateLimitCall& call) noexcept : x_(x) { x.rate_limit = &call; }
  CallInScope(const CallInScope&) = delete;
  CallInScope& operator=(const CallInScope&) = delete;
  ~CallInScope() { x_.rate_limit = nullptr; }

 private:
  Exchange& x_;
};

/// Decides all limits of the call. Returns a problem if they cannot be counted.
Task<MaybeProblem> decide_all(Path& path, Exchange& x) {
  x.used = true;
  x.snapshot->counters->begin(x);
  for (const auto stage : {Stage::memory, Stage::redis}) {
    const bool any =
        std::ranges::any_of(x.rate_limit->matched, [&](const auto& each) { return each.route->checks(stage); });
    if (!any) continue;
    auto deciding = admit_with_waits(path, x, stage, RoundPart::all);
    auto problem = co_await deciding;
    if (problem && (problem->ended_by != EndedBy::limit || !is_of_limit(problem->status))) co_return problem;
    if (problem) break;
  }
  co_return MaybeProblem{};
}

}  // namespace

Task<MaybeProblem> answer_rate_limit(Path& path, Exchange& x) {
  if (!identity::contains(x.snapshot->compiled->identity().trusted_proxies, x.peer))
    co_return Problem{.status = 403,
                      .ended_by = EndedBy::auth,
                      .detail = "This listener decides for trusted proxies, and this address is none."};
  if (x.request.path != kShouldRateLimit || x.request.method != "POST")
    co_return Problem{
        .status = 404, .ended_by = EndedBy::no_route, .detail = "This service has only the method ShouldRateLimit."};
  std::string message;
  auto reading = read_message(x, message);
  if (auto problem = co_await reading) co_return problem;
  auto request = envoy::read_request(message);
  if (!request || request->domain.empty() || request->descriptors.size() > kMaxDescriptors)
    co_return invalid_call(
        "The message is no request of this service, has no domain, or has more than 64 descriptors.");
  RateLimitCall call{.request = std::move(*request), .matched = {}, .of_limit = {}};
  match_descriptors(x, call);
  envoy::RateLimitResponse out;
  out.statuses.resize(call.request.descriptors.size());
  if (rates_of(call) > limit::kMaxRulesPerRequest)
    co_return invalid_call(
        "The descriptors of this call are counted by more rates than one call can have, which is 32.");
  if (!call.matched.empty()) {
    const CallInScope scope(x, call);
    auto deciding = decide_all(path, x);
    if (auto problem = co_await deciding) co_return problem;
    out.over = x.admission.outcome == Admission::Outcome::rejected;
    for (std::size_t i = 0; i < out.statuses.size(); ++i) out.statuses[i] = descriptor_status(x, i);
    tell_binding(x, out);
  }
  x.ended_by = out.over ? EndedBy::limit : EndedBy::respond;
  const auto reply = envoy::write_response(out);
  auto sending = send_decision(x, reply, out.over);
  co_await sending;
  co_return MaybeProblem{};
}

}  // namespace headgate::gateway
