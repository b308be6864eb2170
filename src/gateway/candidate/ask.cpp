// Runs the candidate policy for a request. The walk is the usual one, but has only the steps that decide, and uses the
// candidate's own counters.

#include "candidate_exchange.hpp"
#include "gateway/bodies/body_values.hpp"
#include "gateway/limits/grpc_outcome.hpp"
#include "gateway/limits/settle.hpp"
#include "gateway/limits/unanswered.hpp"

#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/problem.hpp"

#include <utility>

namespace headgate::gateway {
namespace {

using Next = StageAdmission::Next;

/// Returns whether the refused request could have waited for a permit. Its outcome is then unknown.
bool would_wait(const Exchange& y, const Problem& refused) noexcept {
  const auto& a = y.admission;
  return refused.ended_by == EndedBy::limit && a.outcome == Admission::Outcome::rejected && a.binding != nullptr &&
         lets_wait(y.route->limits_at(a.binding->route_limit->stage));
}

/// Returns whether limits in Redis are checked. They are checked in one call after all other steps, because the head of
/// the request may be gone when Redis answers.
bool asks_redis(const Exchange& y) noexcept { return !y.preflight && !y.instead && y.route->checks(Stage::redis); }

/// Copies the texts that the call to Redis needs. The head belongs to the live exchange, which may end before Redis
/// answers.
void keep_texts(Exchange& y) {
  for (auto& check : y.admission.checks) {
    check.key = y.text.join({check.key});
    if (check.token.data() != y.flight.token.data()) check.token = y.text.join({check.token});
  }
}

/// Puts one answer in the place of another one for its lifetime.
class AnswerInstead {
 public:
  AnswerInstead(http::ReplyHead& place, http::ReplyHead& answer) noexcept : place_(place), answer_(answer) { swap(); }
  ~AnswerInstead() { swap(); }
  AnswerInstead(const AnswerInstead&) = delete;
  AnswerInstead& operator=(const AnswerInstead&) = delete;

 private:
  void swap() noexcept { std::swap(place_, answer_); }

  http::ReplyHead& place_;
  http::ReplyHead& answer_;
};

}  // namespace

CandidateExchange* Candidate::take() {
  if (!free_.empty()) {
    auto* const asked = free_.back();
    free_.pop_back();
    return asked;
  }
  if (made_.size() == kMaxExchanges) return nullptr;
  free_.reserve(kMaxSpare);
  auto& made = *made_.emplace_back(std::make_unique<CandidateExchange>(*this));
  made.place = made_.size() - 1;
  return &made;
}

/// Ends the comparison and returns the exchange to the pool. Must not be called while anything is lent to the exchange.
void Candidate::release(CandidateExchange& asked) noexcept {
  if (asked.from != nullptr) asked.from->candidate = nullptr;
  asked.from = nullptr;
  asked.x.reset();
  asked.kept_answer = {};
  asked.live = {};
  asked.walk.reset();
  asked.admission.reset();
  asked.call.reset();
  asked.deciding = asked.done = false;
  if (free_.size() < kMaxSpare) return free_.push_back(&asked);
  const auto place = asked.place;
  std::swap(made_[place], made_.back());
  made_[place]->place = place;
  made_.pop_back();
}

void Candidate::release_if_done(CandidateExchange& asked) noexcept {
  if (asked.done && !asked.lent) release(asked);
}

void Candidate::decided(Path& live, Exchange& x, const Problem* refused) noexcept {
  if (stopped_) return;
  try {
    decide(live, x, refused);
  } catch (...) {
    told_bug();
  }
}

void Candidate::decide(Path& live, Exchange& x, const Problem* refused) {
  auto* const made = take();
  if (made == nullptr) return undecided(Undecided::busy);
  auto& asked = *made;
  auto& y = asked.x;
  asked.from = &x;
  x.candidate = &asked;
  try {
    y.copy_request(x);  // The header fields are lent, not copied.
    y.random = x.random;
    y.learned = path_->learned.get();
    y.used = true;
    y.auth = x.auth;  // The auth service is not asked a second time.
    y.snapshot = path_->snapshot;
    const Lent lent(asked, live, *path_);
    asked.live = said_of_live(live, x, refused);
    ask(asked);
  } catch (...) {
    if (!asked.deciding) release(asked);
    throw;
  }
  release_if_done(asked);
}

/// Runs the steps. Must be called while the head of the request is lent.
void Candidate::ask(CandidateExchange& asked) {
  auto& y = asked.x;
  auto& walk = asked.walk.emplace(Walk::of_candidate(*path_, y));
  walk.next();  // None of these steps waits.
  if (walk.problem() || !asks_redis(y)) return conclude(asked);
  auto& admission = asked.admission.emplace(*path_, y, Stage::redis, RoundPart::all, nullptr, AdmitFor::candidate);
  auto next = admission.begin();
  while (next == Next::ask) {
    const auto agreed = y.snapshot->redis->decide_here(admission.checks(), admission.decisions());
    if (!agreed) break;
    next = admission.redis_said(*agreed);
  }
  if (next != Next::ask) return admitted(asked);
  if (calls_ == kMaxCalls) {
    admission.drop();
    return no_answer(asked, Undecided::busy);
  }
  keep_texts(y);
  asked.live.key = y.text.join({asked.live.key});
  spawn(call_redis(shared_from_this(), asked), "candidate");
}

Task<void> Candidate::call_redis(std::shared_ptr<Candidate> self, CandidateExchange& asked) {
  asked.deciding = true;
  ++self->calls_;
  try {
    const auto redis = asked.x.snapshot->redis;
    auto& admission = *asked.admission;
    auto next = Next::ask;
    while (next == Next::ask) {
      auto call = redis->decide(admission.checks(), admission.decisions());
      const auto agreed = co_await call;
      next = admission.redis_said(agreed);
    }
    asked.deciding = false;
    if (self->stopped_)
      asked.done = true;
    else if (next == Next::failed)
      self->no_answer(asked, Undecided::redis);
    else
      self->admitted(asked);
  } catch (...) {
    self->told_bug();
    asked.done = true;
  }
  asked.deciding = false;
  --self->calls_;
  self->release_if_done(asked);  // If the head is still lent, decide() releases the exchange instead.
}

/// Continues after the limits in Redis. If the live exchange has ended meanwhile, the head of the request is gone.
void Candidate::admitted(CandidateExchange& asked) {
  std::optional<Lent> lent;
  if (asked.from != nullptr) lent.emplace(asked);
  asked.walk->ended(asked.admission->problem());
  asked.walk->next();
  conclude(asked);
}

/// Leaves the comparison undecided. As for an admitted request, the permits that were taken in memory stay taken.
void Candidate::no_answer(CandidateExchange& asked, Undecided why) {
  undecided(why);
  keep(asked);
}

void Candidate::conclude(CandidateExchange& asked) {
  auto& y = asked.x;
  const auto& problem = asked.walk->problem();
  const auto* const refused = problem ? &*problem : nullptr;
  auto own = said_of(y, refused, true);
  if (refused != nullptr && would_wait(y, *refused)) {
    own.kind = Said::Kind::undecided;
    own.why = Undecided::queue;
  }
  compare(asked.live, y, own);
  if (refused == nullptr) return keep(asked);
  y.status = refused->status;
  y.ended_by = refused->ended_by;
  if (y.route != nullptr && y.route->takes(Step::settle)) note_status(y, y.status);
  leave(asked);
  asked.done = true;
}

/// Keeps the exchange until the request ends, if steps have to be left then.
void Candidate::keep(CandidateExchange& asked) {
  auto& y = asked.x;
  y.admission.served = true;
  note_kept_costs(asked);
  if (asked.from != nullptr && !(y.route->left & kLeftByCandidates).empty()) return;
  if (asked.from == nullptr) {
    note_status_of_answer(asked);
    leave(asked);
  }
  asked.done = true;
}

void Candidate::answered(Exchange& x) noexcept {
  auto& asked = *x.candidate;
  auto& y = asked.x;
  if (y.route == nullptr || !y.route->takes(Step::settle)) return;
  y.grpc_answer = x.grpc_answer;
  y.grpc_status = x.grpc_status;
  try {
    const Lent lent(asked);
    if (y.bodies) y.bodies->begin_answer(y);
    if (asked.deciding)
      keep_costs(asked);
    else
      note_costs(y);
  } catch (...) {
    asked.of.told_bug();
  }
}

std::shared_ptr<http::BodyLook> Candidate::look_at_answer(const Exchange& x) noexcept {
  const auto& bodies = x.candidate->x.bodies;
  return bodies && bodies->answer_begun() && bodies->plan().reads_answer ? bodies : nullptr;
}

/// Copies the costs in the head of the answer. The limits in Redis have taken no permits yet, and the head will be gone
/// when they have.
void Candidate::keep_costs(CandidateExchange& asked) {
  auto& y = asked.x;
  for (const auto& each : y.route->plan) {
    if (!is_settled(each.cost) || each.cost.from->known != CostKnown::after) continue;
    for (const auto& field : y.answer.fields)
      if (http::same_word(field.name, each.cost.name))
        asked.kept_answer.fields.push_back({field.id, each.cost.name, y.text.join({field.value})});
  }
  asked.kept_answer.status = y.answer.status;
}

void Candidate::note_kept_costs(CandidateExchange& asked) {
  if (asked.kept_answer.status == 0) return;
  const AnswerInstead kept(asked.x.answer, asked.kept_answer);
  note_costs(asked.x);
}

void Candidate::ended(Exchange& x) noexcept {
  auto& asked = *x.candidate;
  auto& of = asked.of;
  if (asked.deciding) {  // The call to Redis is still running, and the work after it needs no head.
    note_end(asked);
    asked.x.answer.status = x.answer.status;
    asked.from = nullptr;
    x.candidate = nullptr;
    return;
  }
  try {
    const Lent lent(asked);
    note_end(asked);
    note_status_of_answer(asked);
    of.leave(asked);
  } catch (...) {
    of.told_bug();
  }
  of.release(asked);
}

/// Records how the request ended. If only the candidate allows the request, its answer is unknown. The request then
/// costs the permits that are held, and is not counted as an offence. A decision that is settled afterwards costs the
/// hold as well, because the candidate does not hear of the settlement.
void Candidate::note_end(CandidateExchange& asked) noexcept {
  auto& y = asked.x;
  const auto& x = *asked.from;
  const bool answered = asked.live.kind == Said::Kind::allowed;
  y.status = answered ? status_at_end(x) : 0;
  y.unanswered = !answered || avoided_answer(x) || x.settle_within > Duration(0);
  y.ended_by = y.unanswered ? EndedBy::client_closed : x.ended_by;
  y.broken_off = answered ? x.broken_off : BrokenOff::drain;
  y.body_bytes = x.body_bytes;
  if (y.bodies && x.bodies && x.bodies->was_drained()) y.bodies->drained();
}

/// Records the status if it is known. Called when the limits are decided and the request has ended.
void Candidate::note_status_of_answer(CandidateExchange& asked) {
  auto& y = asked.x;
  if (y.status != 0 && y.route != nullptr && y.route->takes(Step::settle)) note_status(y, y.status);
}

/// Runs the last steps. Offences are not counted if the head is gone, because their key comes from the head.
void Candidate::leave(CandidateExchange& asked) {
  leave_steps(*path_, asked.x, asked.from != nullptr ? kLeftByCandidates : kLeftByCandidates.without({Step::offences}));
}

}  // namespace headgate::gateway
