// Decides about the descriptors of calls of Envoy's rate limit service under the candidate policy.

#include "candidate_exchange.hpp"
#include "gateway/admission/rounds.hpp"
#include "gateway/steps/descriptors/statuses.hpp"
#include "gateway/steps/descriptors/suspensions.hpp"
#include "gateway/steps/rate_limit_service.hpp"

#include "headgate/gateway/problem.hpp"

namespace headgate::gateway {

void Candidate::decided_call(const Path& live, const Exchange& x, const envoy::RateLimitRequest& request,
                             const Problem* refused) noexcept {
  if (stopped_) return;
  CandidateExchange* asked = nullptr;
  try {
    if (calls_ == kMaxCalls || (asked = take()) == nullptr) return undecided(Undecided::busy);
    auto& y = asked->x;
    y.protocol = x.protocol;
    y.clock = x.clock;
    y.started = x.started;
    y.peer = x.peer;
    y.random = x.random;
    y.used = true;
    y.snapshot = path_->snapshot;
    asked->call = std::make_unique<RateLimitCall>();
    asked->call->request = request;
    asked->live = said_of_live(live, x, refused);
    asked->live.key = y.text.join({asked->live.key});
  } catch (...) {
    if (asked != nullptr) release(*asked);
    return told_bug();
  }
  spawn(decide_call(shared_from_this(), *asked), "candidate");
}

Task<void> Candidate::decide_call(std::shared_ptr<Candidate> self, CandidateExchange& asked) {
  ++self->calls_;
  try {
    auto deciding = self->decide_descriptors(asked);
    co_await deciding;
  } catch (...) {
    self->told_bug();
  }
  --self->calls_;
  self->release(asked);
}

/// Decides as decide_all() of the live policy does. No request waits for this decision.
Task<void> Candidate::decide_descriptors(CandidateExchange& asked) {
  auto& y = asked.x;
  y.rate_limit = asked.call.get();
  match_descriptors(y, *asked.call);
  if (asked.call->matched.empty()) co_return compare(asked.live, y, {});
  envoy::RateLimitResponse answer;
  answer.statuses.resize(asked.call->request.descriptors.size());
  MaybeProblem refused;
  if (most_rates(*asked.call) > limit::kMaxRulesPerRequest)
    refused = Problem{.status = kRejectedStatus, .ended_by = EndedBy::bad_request};
  else if (rejects(*asked.call))
    refused = Problem{.status = kRejectedStatus, .ended_by = EndedBy::limit};
  else if (refuse_suspended(*path_, y, answer) > Duration(0))
    refused = Problem{.status = kRejectedStatus, .ended_by = EndedBy::ban, .detail = {}, .limit = y.problem_limit};
  else if (refuse_empty_rates(y, answer))
    refused = Problem{.status = kRejectedStatus, .ended_by = EndedBy::limit, .detail = {}, .limit = y.problem_limit};
  for (const auto stage : {Stage::memory, Stage::redis}) {
    if (refused || !asked.call->asks(stage)) continue;
    StageAdmission admission(*path_, y, stage, RoundPart::all, nullptr, AdmitFor::candidate);
    auto next = admission.begin();
    while (next == StageAdmission::Next::ask) {
      auto call = y.snapshot->redis->decide(admission.checks(), admission.decisions());
      const auto agreed = co_await call;
      next = admission.redis_said(agreed);
    }
    if (stopped_) co_return;
    if (next == StageAdmission::Next::failed) co_return undecided(Undecided::redis);
    refused = admission.problem();
  }
  if (!refused) give_back_hits(*path_, y);
  compare(asked.live, y, said_of(y, refused ? &*refused : nullptr, true));
  auto longest = Duration(0);
  auto noting = note_rejections(*path_, y, answer, longest);
  co_await noting;
}

}  // namespace headgate::gateway
