#include "rate_limit_service.hpp"

#include "gateway/admission/rounds.hpp"
#include "gateway/exchange/body_problem.hpp"
#include "gateway/path/path.hpp"
#include "gateway/steps/authentication/assumed.hpp"
#include "gateway/steps/descriptors/statuses.hpp"
#include "gateway/steps/descriptors/suspensions.hpp"
#include "steps.hpp"
#include "walk.hpp"

#include "headgate/gateway/answer.hpp"
#include "headgate/gateway/candidate.hpp"
#include "headgate/gateway/descriptors/rate_limit_call.hpp"
#include "headgate/gateway/exchange_counters.hpp"
#include "headgate/gateway/logged_fields.hpp"
#include "headgate/identity/client_address.hpp"

#include <algorithm>
#include <string>

namespace headgate::gateway {
namespace {

constexpr std::string_view kShouldRateLimit = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
constexpr std::size_t kLongestCall = 64UL * 1'024;
constexpr std::size_t kGrpcPrefix = 5;  // flags, and the length of the message

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
  x.grpc_status = observe::GrpcStatus::ok;
  if (sent.has_error()) x.ended_by = EndedBy::client_closed;
}

/// Drops the entries whose limits another entry of the same call replaces.
void drop_replaced(RateLimitCall& call) {
  std::vector<std::string_view> replaced;
  for (const auto& each : call.matched)
    for (const auto& limit : each.route->options->descriptor->replaces) replaced.push_back(limit);
  if (replaced.empty()) return;
  std::erase_if(call.matched, [&](const RateLimitCall::Matched& each) {
    return std::ranges::any_of(each.route->plan, [&](const RouteLimit& used) {
      return std::ranges::find(replaced, used.limit->name) != replaced.end();
    });
  });
}

/// Rejects the call without asking a limit.
void reject_all(Exchange& x, envoy::RateLimitResponse& out) {
  for (const auto& each : x.rate_limit->matched)
    out.statuses[each.descriptor].over = each.route->options->descriptor->rejects;
  out.over = true;
  x.ended_by = EndedBy::limit;
}

}  // namespace

void match_descriptors(Exchange& x, RateLimitCall& call) {
  const auto& routes = x.snapshot->compiled->descriptor_routes();
  for (std::size_t i = 0; i < call.request.descriptors.size(); ++i)
    if (const auto* const route = routes.find(call.request.domain, call.request.descriptors[i]))
      call.matched.push_back({route, i});
  drop_replaced(call);
  if (!call.matched.empty()) x.route = call.matched.front().route;
}

bool rejects(const RateLimitCall& call) noexcept {
  return std::ranges::any_of(call.matched, [](const auto& each) { return each.route->options->descriptor->rejects; });
}

std::size_t most_rates(const RateLimitCall& call) {
  std::size_t out = 0;
  for (const auto& matched : call.matched) {
    for (const auto& each : matched.route->plan) {
      std::size_t most = 0;
      for (const auto& tier : each.ready->tiers) most = std::max(most, tier.rules.size());
      out += most;
    }
  }
  return out;
}

namespace {

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

/// Asks all limits of the call. Returns a problem if they cannot be counted.
Task<MaybeProblem> ask_limits(Path& path, Exchange& x) {
  for (const auto stage : {Stage::memory, Stage::redis}) {
    if (!x.rate_limit->asks(stage)) continue;
    auto deciding = admit_with_waits(path, x, stage, RoundPart::all);
    auto problem = co_await deciding;
    if (problem && (problem->ended_by != EndedBy::limit || !is_of_limit(problem->status))) co_return problem;
    if (problem) co_return MaybeProblem{};
  }
  give_back_hits(path, x);
  co_return MaybeProblem{};
}

/// Leaves the steps that count what the whole call has taken, each of them once.
void leave_counting_steps(Path& path, Exchange& x) {
  for (const auto step : {Step::notices, Step::bill}) {
    const auto& matched = x.rate_limit->matched;
    const bool any = std::ranges::any_of(matched, [step](const auto& each) { return each.route->left.has(step); });
    if (any && !x.left.has(step)) leave_step(path, x, step);
  }
}

/// Sets x.route to the route of the limit that the log line describes, so that log and metrics name the same one.
void name_route(Exchange& x) {
  const auto& a = x.admission;
  const auto* const logged =
      a.outcome == Admission::Outcome::rejected || a.observed() == nullptr ? a.binding : a.observed();
  if (logged == nullptr) return;
  const auto descriptor = x.rate_limit->of_limit[static_cast<std::size_t>(logged - a.limits.data())];
  const auto* route = x.route;
  for (const auto& matched : x.rate_limit->matched)
    if (matched.descriptor == descriptor) route = matched.route;
  if (route == x.route) return;
  x.route = route;
  if (x.counted == nullptr) return;
  x.counted->under_way(-1);
  x.snapshot->counters->begin(x);
}

/// Decides about the descriptors. Returns a problem if they cannot be counted.
Task<MaybeProblem> decide_all(Path& path, Exchange& x, envoy::RateLimitResponse& out) {
  x.used = true;
  const auto left = refuse_suspended(path, x, out);
  if (!x.admission.peek) x.snapshot->counters->begin(x);
  if (left > Duration(0)) {
    out.over = true;
    x.ended_by = EndedBy::ban;
    tell_suspension(x, left, out);
    co_return MaybeProblem{};
  }
  if (rejects(*x.rate_limit)) {
    reject_all(x, out);
    co_return MaybeProblem{};
  }
  if (refuse_empty_rates(x, out)) {
    x.ended_by = EndedBy::limit;
    co_return MaybeProblem{};
  }
  auto asking = ask_limits(path, x);
  if (auto problem = co_await asking) co_return problem;
  out.over = x.admission.outcome == Admission::Outcome::rejected;
  x.ended_by = out.over ? EndedBy::limit : EndedBy::respond;
  for (std::size_t i = 0; i < out.statuses.size(); ++i) out.statuses[i] = decided_status(x, i);
  auto suspended = Duration(0);
  auto noting = note_rejections(path, x, out, suspended);
  co_await noting;
  tell_binding(x, suspended, out);
  if (!x.admission.peek) leave_counting_steps(path, x);
  name_route(x);
  co_return MaybeProblem{};
}

/// Lets the candidate policy decide about the same call.
void tell_candidate(const Path& path, const Exchange& x, const RateLimitCall& call, const MaybeProblem& problem) {
  if (x.snapshot->candidate == nullptr) return;
  auto refused = problem;
  if (x.ended_by == EndedBy::limit || x.ended_by == EndedBy::ban)
    refused = Problem{.status = kRejectedStatus, .ended_by = x.ended_by, .detail = {}, .limit = x.problem_limit};
  x.snapshot->candidate->decided_call(path, x, call.request, refused ? &*refused : nullptr);
}

/// Reads the call of a proxy that may ask into `out`. Returns the problem of any other request.
Task<MaybeProblem> read_call(Exchange& x, envoy::RateLimitRequest& out) {
  if (!identity::contains(x.snapshot->compiled->identity().trusted_proxies, x.peer))
    co_return Problem{.status = 403,
                      .ended_by = EndedBy::auth,
                      .detail = "This listener decides for trusted proxies, and this address is none."};
  if (x.certificates_only && !x.client_certificate)
    co_return Problem{
        .status = 403, .ended_by = EndedBy::auth, .detail = "This listener requires a client certificate."};
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
  out = std::move(*request);
  co_return MaybeProblem{};
}

}  // namespace

Task<MaybeProblem> decide_call(Path& path, Exchange& x, RateLimitCall& call, envoy::RateLimitResponse& out) {
  match_descriptors(x, call);
  x.ended_by = EndedBy::respond;
  out.statuses.resize(call.request.descriptors.size());
  if (most_rates(call) > limit::kMaxRulesPerRequest)
    co_return invalid_call(
        "The descriptors of this call are counted by more rates than one call can have, which is 32.");
  if (call.matched.empty()) co_return MaybeProblem{};
  const CallInScope scope(x, call);
  auto deciding = decide_all(path, x, out);
  co_return co_await deciding;
}

Task<MaybeProblem> answer_rate_limit(Path& path, Exchange& x) {
  const auto* const assumed = assumed_of(path, x);
  auto* const given = assumed == nullptr ? nullptr : assumed->call;
  RateLimitCall call;
  if (given != nullptr) {
    call.request = given->request;
  } else {
    auto reading = read_call(x, call.request);
    if (auto problem = co_await reading) co_return problem;
    const auto& logged = x.snapshot->compiled->options().logged;
    if (logged && logged->calls) x.logged_call = logged_call(call.request, *logged, x.text);
  }
  envoy::RateLimitResponse out;
  auto deciding = decide_call(path, x, call, out);
  const auto problem = co_await deciding;
  if (problem && problem->ended_by == EndedBy::bad_request) co_return problem;
  tell_candidate(path, x, call, problem);
  if (problem) co_return problem;
  if (given != nullptr) given->answer = out;
  const auto reply = envoy::write_response(out);
  auto sending = send_decision(x, reply, out.over);
  co_await sending;
  co_return MaybeProblem{};
}

}  // namespace headgate::gateway
