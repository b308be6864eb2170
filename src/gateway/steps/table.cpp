#include "gateway/steps/table.hpp"

#include "gateway/steps/applies.hpp"
#include "gateway/steps/bill.hpp"
#include "gateway/steps/runs.hpp"
#include "gateway/steps/steps.hpp"

#include "headgate/gateway/cost_source.hpp"

#include <algorithm>
#include <array>

namespace headgate::gateway {

// The order of the path. A row that refuses early is cheap, or protects what comes after it.
constexpr std::array<StepRow, kSteps> kPath{{
    {.step = Step::find_route,
     .common = true,
     .name = "find_route",
     .of = "all",
     .why = "by the normalised path and by conditions, so that no spelling avoids a limit",
     .live = both(find_route),
     .look = both(find_route)},
    {.step = Step::grpc_web,
     .name = "grpc_web",
     .of = "`grpc_web`",
     .why = "all that follows sees a call of gRPC, and answers it as one",
     .applies = [](const Route& route) { return route.grpc_web; },
     .live = both(translate_grpc_web)},
    {.step = Step::compress,
     .name = "compress",
     .of = "`compress`",
     .why = "whoever answers from here on is compressed; the steps, and what looks at bodies, see answers as they were",
     .applies = [](const Route& route) { return route.options->compression != nullptr; },
     .live = both(compress_answer),
     .leave = end_compression},
    {.step = Step::check_body,
     .common = true,
     .preflights = true,
     .name = "check_body",
     .of = "all",
     .why = "a body that is too large is refused before it costs anything",
     .live = both(check_body),
     .look = both(check_body)},
    {.step = Step::identify,
     .common = true,
     .preflights = true,
     .identifies = true,
     .name = "identify",
     .of = "all",
     .why = "the address and the owner of the API key; limits that need no proof count by them",
     .live = both(identify),
     .look = both(identify)},
    {.step = Step::addresses,
     .common = true,
     .preflights = true,
     .identifies = true,
     .name = "addresses",
     .of = "`addresses`",
     .why = "whoever may not come from where it comes costs no limit and no proof",
     .applies = [](const Route& route) { return !route.address_rules.empty(); },
     .live = both(check_address),
     .look = both(check_address)},
    {.step = Step::redirect,
     .common = true,
     .preflights = true,
     .name = "redirect",
     .of = "all",
     .why = "to https; it only needs to know whom to believe about TLS",
     .live = both(to_https),
     .look = both(to_https)},
    {.step = Step::preflight,
     .preflights = true,
     .name = "preflight",
     .of = "cross-origin requests",
     .why = "a preflight is charged to a limit of its address in place of all that follows, and answered by `serve`",
     .applies = [](const Route& route) { return route.cross_origin != nullptr; },
     .live = both(preflight),
     .look = both(preflight)},
    {.step = Step::usage,
     .name = "usage",
     .of = "the path `usage`",
     .why = "the question what is left takes from no other limit",
     .applies = [](const Route& route) { return route.usage; },
     .live = both(charge_usage),
     .look = both(charge_usage)},
    {.step = Step::split,
     .identifies = true,
     .name = "split",
     .of = "several upstreams",
     .why = "the route is exchanged for that of the chosen upstream, so no later step knows of the split",
     .applies = [](const Route& route) { return route.split && !route.split->after_auth; },
     .live = both(split),
     .look = both(split)},
    {.step = Step::offences,
     .name = "offences",
     .of = "limits with `ban`",
     .why = "noted at the end, when the status of the answer is known",
     .applies = [](const Route& route) { return !route.bans.empty(); },
     .leave = note_offences},
    {.step = Step::bans,
     .name = "bans",
     .of = "limits with `ban`",
     .why = "a suspended caller costs one look-up",
     .applies = [](const Route& route) { return route.bans_by_head(); },
     .live = both(bans_at<false>),
     .look = both(bans_at<false>)},
    {.step = Step::suspended,
     .common = true,
     .name = "suspended",
     .of = "limits, while an operator suspends someone",
     .why = "as `bans`",
     .applies = may_be_suspended<false>,
     .live = both(suspended_at<false>),
     .look = both(suspended_at<false>)},
    {.step = Step::bill,
     .name = "bill",
     .of = "limits with `bill`",
     .why = "what the request has cost is added to the sheet when nothing can change it any more",
     .applies =
         [](const Route& route) { return any_limit(route, [](const RouteLimit& each) { return each.limit->bill; }); },
     .leave =
         [](Path& path, Exchange& x) {
           if (path.services.sheet != nullptr) bill(x, *path.services.sheet);
         }},
    {.step = Step::in_flight,
     .name = "in_flight",
     .of = "limits `in_flight`, a capacity",
     .why = "the permits of all limits and the place at the upstream come back when the exchange ends",
     .applies = counts_in_flight,
     .leave = [](Path& path, Exchange& x) { path.in_flight->release(x); }},
    {.step = Step::appointments,
     .name = "appointments",
     .of = "limits with `appointments`",
     .why = "the steps of limits keep and hand them out; what became of them is counted at the end",
     .applies =
         [](const Route& route) {
           return any_limit(route, [](const RouteLimit& each) { return each.limit->appointments.has_value(); });
         }},
    {.step = Step::limits,
     .common = true,
     .name = "limits",
     .of = "limits in memory by the head",
     .why = "they need no proof: a flood costs neither a signature check nor a call to Redis",
     .applies = has_limits<Stage::memory>,
     .live = both(limits_at<Stage::memory>),
     .look = both(limits_at<Stage::memory>)},
    {.step = Step::limits_in_turn,
     .name = "limits_in_turn",
     .of = "those where requests wait for a permit",
     .why = "in place of `limits`",
     .applies = has_limits_in_turn<Stage::memory>,
     .live = {.task = limits_in_turn_at<Stage::memory>},
     .look = both(limits_at<Stage::memory>)},
    {.step = Step::room,
     .name = "room",
     .of = "a waiting room",
     .why = "the limits before it bound how many numbers one caller takes; what is behind it costs more",
     .applies = [](const Route& route) { return route.room != nullptr; },
     .live = {.task = wait_in_room}},
    {.step = Step::authenticate,
     .common = true,
     .identifies = true,
     .name = "authenticate",
     .of = "credentials",
     .why =
         "certificate, key and token; a guess is charged to its address, and limits that count by them come after it",
     .applies =
         [](const Route& route) {
           return route.reads_key || route.reads_token || route.demands != nullptr || route.require != Require::nothing;
         },
     .live = both(authenticate),
     .look = both(authenticate)},
    {.step = Step::check_password,
     .identifies = true,
     .name = "check_password",
     .of = "`basic`",
     .why = "a check of a password is made to be slow, so all that refuses without one comes first",
     .applies = [](const Route& route) { return route.basic != nullptr; },
     .live = {.task = check_password, .waits = password_waits},
     .look = {.at_once = look_at_password}},
    {.step = Step::ask_auth,
     .identifies = true,
     .name = "ask_auth",
     .of = "`auth`",
     .why = "a call costs more than a signature; what it says of the caller is counted by after it",
     .applies = [](const Route& route) { return route.auth != nullptr; },
     .live = {.task = ask_auth},
     .look = {.at_once = look_at_auth}},
    {.step = Step::split_by_claim,
     .identifies = true,
     .name = "split_by_claim",
     .of = "several upstreams, chosen by a claim",
     .why = "as `split`, when the claim is proven",
     .applies = [](const Route& route) { return route.split && route.split->after_auth; },
     .live = both(split),
     .look = both(split)},
    {.step = Step::bans_by_claim,
     .name = "bans_by_claim",
     .of = "limits by credential with `ban`",
     .why = "as `bans`, when the key is known",
     .applies = [](const Route& route) { return route.bans_after_auth(); },
     .live = both(bans_at<true>),
     .look = both(bans_at<true>)},
    {.step = Step::suspended_by_claim,
     .common = true,
     .name = "suspended_by_claim",
     .of = "limits by credential, while an operator suspends someone",
     .why = "as `bans_by_claim`",
     .applies = may_be_suspended<true>,
     .live = both(suspended_at<true>),
     .look = both(suspended_at<true>)},
    {.step = Step::circuit,
     .name = "circuit",
     .of = "a circuit breaker",
     .why = "while it is open, nothing may wait and no call is made for nothing",
     .applies = [](const Route& route) { return route.circuit; },
     .live = both(check_circuit),
     .refused = Taken::goes_back},
    {.step = Step::shed,
     .name = "shed",
     .of = "load shedding",
     .why = "the priority is known now; a place that is not there will hardly be there a millisecond later",
     .applies = [](const Route& route) { return route.sheds; },
     .live = both(shed),
     .look = both(rank),
     .refused = Taken::goes_back},
    {.step = Step::limits_by_claim,
     .common = true,
     .name = "limits_by_claim",
     .of = "limits in memory by credential",
     .why = "before the authentication they would tell a guesser something, and a guess would cost nothing",
     .applies = has_limits<Stage::memory_after_auth>,
     .live = both(limits_at<Stage::memory_after_auth>),
     .look = both(limits_at<Stage::memory_after_auth>),
     .refused = Taken::goes_back_by},
    {.step = Step::limits_by_claim_in_turn,
     .name = "limits_by_claim_in_turn",
     .of = "those where requests wait for a permit",
     .why = "in place of `limits_by_claim`",
     .applies = has_limits_in_turn<Stage::memory_after_auth>,
     .live = {.task = limits_in_turn_at<Stage::memory_after_auth>},
     .look = both(limits_at<Stage::memory_after_auth>),
     .refused = Taken::goes_back_by},
    {.step = Step::limits_in_redis,
     .common = true,
     .name = "limits_in_redis",
     .of = "limits in Redis",
     .why = "one call for all of them, when nothing else refuses the request",
     .applies = has_limits<Stage::redis>,
     .live = {.task = limits_in_redis},
     .look = {.task = limits_in_redis},
     .refused = Taken::goes_back_by},
    {.step = Step::limits_in_redis_in_turn,
     .name = "limits_in_redis_in_turn",
     .of = "those where requests wait for a permit",
     .why = "in place of `limits_in_redis`",
     .applies = has_limits_in_turn<Stage::redis>,
     .live = {.task = limits_in_turn_at<Stage::redis>},
     .look = {.task = limits_in_redis},
     .refused = Taken::goes_back_by},
    {.step = Step::delay,
     .common = true,
     .name = "delay",
     .of = "limits with `wait`",
     .why = "the permit is taken and comes later; a place at the upstream or at a server is taken only then",
     .applies = [](const Route& route) { return !route.plan.empty(); },
     .live = {.task = delay, .waits = waits_for_permit}},
    {.step = Step::hold_body,
     .name = "hold_body",
     .of = "held bodies",
     .why = "a slow upload holds no place",
     .applies = [](const Route& route) { return route.delivery && route.delivery->held_body > 0; },
     .live = {.task = hold_body}},
    {.step = Step::capacity,
     .name = "capacity",
     .of = "a capacity for all gateways",
     .why = "only a request that its limits let through, and that is complete, needs a place at the upstream",
     .applies = [](const Route& route) { return route.capacity != nullptr; },
     .live = {.task = wait_for_capacity, .waits = waits_for_capacity},
     .look = {.task = wait_for_capacity, .waits = waits_for_capacity},
     .refused = Taken::goes_back},
    {.step = Step::queue,
     .name = "queue",
     .of = "a queue before the upstream",
     .why = "whoever waits for a place there holds none yet",
     .applies = [](const Route& route) { return route.queue != nullptr; },
     .live = {.task = wait_for_place, .waits = waits_for_place},
     .refused = Taken::goes_back},
    {.step = Step::place,
     .name = "place",
     .of = "load shedding",
     .why = "a place at the upstream, held however the exchange ends until the head of its answer",
     .applies = [](const Route& route) { return route.sheds; },
     .live = both(take_place),
     .refused = Taken::goes_back,
     .leave = leave_place},
    {.step = Step::server_queue,
     .name = "server_queue",
     .of = "servers with `max_in_flight`",
     .why = "the server is chosen and its place taken before anything is sent, so that a full one is refused like the "
            "rest",
     .applies = [](const Route& route) { return route.server_queue != nullptr; },
     .live = {.task = wait_for_server, .waits = waits_for_server},
     .refused = Taken::goes_back,
     .leave = leave_server},
    {.step = Step::trial,
     .name = "trial",
     .of = "a circuit breaker",
     .why = "what passes a half-open circuit is one of a few, and must reach a server",
     .applies = [](const Route& route) { return route.circuit; },
     .live = both(pass_circuit),
     .refused = Taken::goes_back,
     .leave = leave_circuit},
    {.step = Step::notices,
     .name = "notices",
     .of = "quotas with `notify_at`",
     .why = "what the limits decided is decided now; the rest is looked at when the answer is there",
     .applies =
         [](const Route& route) {
           return any_limit(route, [](const RouteLimit& each) { return !each.limit->notify_at.empty(); });
         },
     .live = both([](Path& path, Exchange& x) {
       path.notices->admitted(x);
       return MaybeProblem();
     }),
     .leave = [](Path& path, Exchange& x) { path.notices->ended(x); }},
    {.step = Step::settle,
     .common = true,
     .name = "settle",
     .of = "costs and statuses of answers",
     .why = "what only the answer says is charged at the end, or before a problem is told; nothing else has looked at "
            "what was taken",
     .applies =
         [](const Route& route) {
           return any_limit(route, [](const RouteLimit& each) {
             return is_settled(each.cost) || !each.limit->counted_statuses.empty();
           });
         },
     .live = both([](Path& /*path*/, Exchange& x) {
       x.admission.served = true;
       return MaybeProblem();
     }),
     .leave = settle},
    {.step = Step::serve,
     .common = true,
     .preflights = true,
     .name = "serve",
     .of = "all",
     .why = "the answer: of the route, of the gateway as the last hop, or of a server",
     .live = {.task = serve}},
}};

namespace {

constexpr StepSet where(bool StepRow::*said) {
  StepSet steps;
  for (const auto& row : kPath)
    if (row.*said) steps.add(row.step);
  return steps;
}

constexpr bool rows_stand_at_their_steps() {
  for (std::size_t i = 0; i < kSteps; ++i)
    if (static_cast<std::size_t>(kPath[i].step) != i) return false;
  return true;
}
static_assert(rows_stand_at_their_steps());

}  // namespace

constexpr StepSet kOfPreflights = where(&StepRow::preflights);
constexpr StepSet kIdentifying = where(&StepRow::identifies);

void note_steps(Route& route) {
  constexpr StepSet kCommon = where(&StepRow::common);
  route.steps = route.left = {};
  for (const auto& row : kPath) {
    if (row.applies != nullptr && !row.applies(route)) continue;
    route.steps.add(row.step);
    if (row.leave != nullptr) route.left.add(row.step);
  }
  route.extras = route.logs_answer || !route.steps.without(kCommon).empty();
}

}  // namespace headgate::gateway
