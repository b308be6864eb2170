// Explains what would happen to a request: runs the steps of the path without taking permits.

#include "headgate/gateway/explain.hpp"

#include "explain_call.hpp"
#include "gateway/forward/max_forwards.hpp"
#include "gateway/forward/rewrite.hpp"
#include "gateway/limits/limit_states.hpp"
#include "gateway/limits/settle.hpp"
#include "gateway/questions/announced_body.hpp"
#include "gateway/steps/split.hpp"
#include "gateway/steps/steps.hpp"
#include "gateway/steps/walk.hpp"
#include "look.hpp"

#include "headgate/core/per_enum.hpp"
#include "headgate/gateway/gateway.hpp"
#include "headgate/http/h1/parse.hpp"
#include "headgate/net/tls/secured.hpp"

namespace headgate::gateway {
namespace {

void describe_caller(const Exchange& x, Explanation& out) {
  const auto& caller = x.caller;
  out.address = caller.address.to_string();
  out.hops = caller.hops;
  out.through_trusted = caller.through_trusted;
  if (caller.known_key) {
    out.owner = caller.known_key->owner;
    out.groups = caller.known_key->groups;
  }
  out.subject = caller.claim("sub");
  out.user = x.user;
  for (const auto& proof : caller.auth_results)
    out.proofs.emplace_back(observe::to_text(proof.kind), observe::to_text(proof.result));
}

void describe_problem(const Exchange& x, const Problem& problem, Explanation& out) {
  out.status = problem.status;
  out.ended_by = to_text(problem.ended_by);
  out.detail = problem.detail;
  out.limit = problem.limit;
  out.location = problem.location;
  out.challenge = problem.challenge;
  out.retry_after = problem.retry_after;
  out.queues = problem.ended_by == EndedBy::limit && x.admission.binding != nullptr &&
               x.admission.binding->route_limit->ready->in_turn;
  if (problem.silent) out.besides.push_back({"gets_no_answer", "its connection is closed without an answer", {}});
}

/// Describes the numbers that the caller gets.
void describe_told(const Admission& a, Explanation& out) {
  if (a.binding == nullptr) return;
  out.binding = a.binding->route_limit->limit->name;
  out.most = a.decision().limit;
  const bool waits = a.outcome == Admission::Outcome::rejected && a.decision().retry_after < limit::kNever;
  out.remaining = waits ? 0 : a.decision().remaining;  // as in the fields of the answer
}

std::vector<std::pair<std::string, double>> shares_of(const Split& split) {
  double all = 0;
  for (const auto& share : split.shares) all += share.weight;
  std::vector<std::pair<std::string, double>> out;
  for (const auto& share : split.shares)
    if (share.weight > 0) out.emplace_back(share.upstream, share.weight / all);
  return out;
}

void describe_route(Exchange& x, Explanation& out) {
  const auto& route = *x.route;
  out.route = route.name;
  out.pattern = route.path;
  out.found = &route;
  explain_steps(x, out);
  if (x.instead)
    out.besides.push_back({"goes_instead_to", "in place of a refusal it goes to upstream", x.route->upstream_name});
  if (!x.route->model.empty())
    out.besides.push_back({"names_instead_the_model", "its body then names the model", x.route->model});
  const auto& split = x.snapshot->compiled->routes()[route.number]->split;
  if (split && is_by_chance(x, *split->options))
    out.drawn = shares_of(*split->options);
  else if (!route.respond)
    out.upstream = route.upstream_name;
}

/// Returns the status of the answer that serve() would give an admitted request without a server; 0 if a server would
/// answer.
unsigned answers_itself(const Exchange& x) noexcept {
  if (x.preflight) return 204;
  if (x.route->respond) return x.route->respond->status;
  return ends_here(x) && !problem_of_last(x) ? status_of_last(x) : 0;
}

/// Returns the refusal of serve() for a request to a server; empty if there is none.
std::optional<Problem> refuses_late(Exchange& x) {
  if (ends_here(x)) return problem_of_last(x);
  return x.route->edits && x.route->edits->path ? rewrite(x) : std::nullopt;
}

Task<Explanation> explain_head(Path& path, Exchange& x) {
  Explanation out;
  AnnouncedBody body(x.request.framing);
  x.body = &body;
  auto steps = look(path, x);
  MaybeProblem problem = co_await steps;
  x.body = nullptr;
  const auto answered = problem ? 0 : answers_itself(x);
  if (!problem && answered == 0) problem = refuses_late(x);
  out.compiled = x.snapshot->compiled;
  out.method = x.request.method;
  out.host = x.request.authority;
  out.path = x.request.path;
  // If the client's address is not known, the peer's address is shown. The address may be known although `identify` did
  // not run, because a route depends on it.
  if (x.caller.ip_key.empty() && x.caller.address.is_unspecified()) x.caller.address = x.peer;
  describe_caller(x, out);
  if (x.route) describe_route(x, out);
  const auto& a = x.admission;
  if (problem) {
    describe_problem(x, *problem, out);
  } else {
    out.status = answered;
    out.ended_by = to_text(answered == 0 ? EndedBy::upstream : x.preflight ? EndedBy::preflight : EndedBy::respond);
  }
  // settle() and respond() record the status before the client is answered, so it is recorded here as well.
  if (x.route && x.route->takes(Step::settle) && (problem || out.ended_by == to_text(EndedBy::respond)))
    note_status(x, out.status);
  if (!problem) out.delay = a.delay;
  describe_told(a, out);
  if (!x.route || x.caller.ip_key.empty() || x.preflight) co_return out;
  std::vector<const RouteLimit*> plan;
  plan.reserve(x.route->plan.size());
  for (const auto& route_limit : x.route->plan)
    if (route_limit.stage != Stage::no_request) plan.push_back(&route_limit);
  auto states = limit_states(x, plan, LimitStates{path.services.memory, path.services.clock, path.shard_turns});
  out.limits = co_await states;
  if (problem && problem->ended_by == EndedBy::ban) {
    const auto& by = x.suspension.by ? x.suspension.by->route_limit->limit->name : std::string(problem->limit);
    for (auto& state : out.limits)
      if (state.name == by) state.suspended = problem->wait;
  }
  for (const auto& state : out.limits)
    out.counted_without_redis = out.counted_without_redis || state.source == Source::fallback;
  out.gateways = x.snapshot->compiled->sharers().count();
  co_return out;
}

}  // namespace

Task<MaybeProblem> look(Path& path, Exchange& x) {
  if (!x.snapshot) x.snapshot = path.snapshot;
  x.admission.peek = true;
  Walk walk(path, x);
  while (const auto* const waits = walk.next()) walk.ended(co_await waits->task(path, x));
  auto& problem = walk.problem();
  if (problem && x.route && !x.route->bans.empty()) co_await suspend_first(path, x, *problem);
  co_return problem;
}

Task<Explanation> Gateway::explain(ExplainedRequest request, const AssumedCaller* assumed) {
  Explanation out;
  const auto x = std::make_unique<Exchange>();
  x->peer = request.peer;
  x->clock = &path_->services.clock;
  x->started = path_->services.clock.steady();
  x->client_tls = request.tls;
  x->secured = request.secured;
  x->client_certificate = request.secured != nullptr && request.secured->certificate != nullptr;
  x->assumed = assumed;
  x->trusts_names = true;
  x->https_port = request.tls ? std::uint16_t{0} : request.https_port;
  if (request.call) {
    auto explained = explain_call(*path_, *x, std::move(*request.call), out);
    if (const auto problem = co_await explained) describe_problem(*x, *problem, out);
    describe_told(x->admission, out);
    co_return out;
  }
  const auto& bounds = path_->snapshot->compiled->options().head_bounds;
  if (request.head.size() > bounds.bytes) {
    const auto refusal = http::h1::too_long(request.head, bounds.bytes);
    describe_problem(*x, problem_of_head(refusal.status, refusal.why), out);
    co_return out;
  }
  if (const auto parsed = http::h1::parse_request(request.head, {bounds.fields, bounds.target_bytes}, x->request);
      parsed.has_error()) {
    describe_problem(*x, problem_of_head(parsed.error().status, parsed.error().why), out);
    co_return out;
  }
  auto explained = explain_head(*path_, *x);
  co_return co_await explained;
}

std::string_view to_text(LimitState::Applies applies) noexcept {
  static constexpr WordsUpTo<LimitState::Applies::unknown> kWords(
      {"counted", "exempt", "unlimited", "skipped", "refused", "unknown"});
  return kWords[applies];
}

}  // namespace headgate::gateway
