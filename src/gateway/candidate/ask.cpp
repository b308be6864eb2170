// What the candidate says of a request: the steps that decide, in their order, with counters of its own.

#include "candidate_exchange.hpp"
#include "gateway/admission/give_back.hpp"
#include "gateway/admission/rounds.hpp"
#include "gateway/limits/grpc_outcome.hpp"
#include "gateway/limits/settle.hpp"
#include "gateway/limits/shards.hpp"
#include "gateway/limits/unanswered.hpp"
#include "gateway/steps/table.hpp"

#include "headgate/gateway/problem.hpp"

#include <utility>

namespace headgate::gateway {
namespace {

StepSet steps_of(const Exchange& y) noexcept {
  return y.route->steps & (y.preflight ? kOfPreflights & kOfCandidates : kOfCandidates);
}

/// `in_turn`: the request would wait, so it is not known what becomes of it.
MaybeProblem walk(Path& path, Exchange& y, bool& in_turn) {
  StepSet ahead{Step::find_route};
  while (!ahead.empty()) {
    const auto step = ahead.first();
    const auto& row = kPath[static_cast<std::size_t>(step)];
    const auto& run = row.live.at_once != nullptr ? row.live : row.look;
    if (auto said = run.at_once(path, y)) {
      in_turn = kInTurnOfCandidates.has(step) && said->ended_by == EndedBy::limit;
      return said;
    }
    ahead = steps_of(y).behind(step);
  }
  return {};
}

bool asks_redis(const Exchange& y) noexcept {
  return !y.preflight && y.route->usage == nullptr && y.route->checks(Stage::redis);
}

/// What the request needs while Redis is asked: its head is the live exchange's, which may end before.
void keep_texts(Exchange& y) {
  for (auto& check : y.admission.checks) {
    check.key = y.text.join({check.key});
    if (check.token.data() != y.flight.token.data()) check.token = y.text.join({check.token});
  }
}

/// What Redis has decided. `problem` is what the caller would be told.
void use(Path& path, Exchange& y, Round& round, bool agreed, MaybeProblem& problem) {
  conclude(path, y, round, agreed);
  if (!agreed) {
    tell_rejection(y, problem);
    give_back(path, y);
  } else if (y.route->takes(Step::in_flight)) {
    InFlight::show(y, round.first_limit);
    path.in_flight->keep(y);
  }
}

/// Whether a call to Redis is needed; else the round is decided, and `problem` is what the caller would be told.
bool needs_call(Path& path, Exchange& y, Round& round, MaybeProblem& problem) {
  if (y.route->takes(Step::in_flight)) path.in_flight->name(y);
  round.asked = RoundTime{path.services.clock.steady(), path.services.clock.wall()};
  problem = collect(path, y, round);
  if (problem || round.empty()) return false;
  if (in_shards(round)) return true;
  const auto agreed = y.snapshot->redis->decide_here(round.checks(), round.decisions());
  if (agreed) use(path, y, round, *agreed, problem);
  return !agreed;
}

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

/// Not while anything is lent to it.
void Candidate::release(CandidateExchange& asked) noexcept {
  if (asked.from != nullptr) asked.from->candidate = nullptr;
  asked.from = nullptr;
  asked.x.reset();
  asked.live = {};
  asked.deciding = asked.in_turn = asked.done = false;
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
    y.copy_request(x);  // the fields of its head are lent
    y.random = x.random;
    y.used = true;
    y.auth = x.auth;  // nobody is asked twice
    y.snapshot = path_->snapshot;
    const Lent lent(asked, live, *path_);
    ask(asked, said_of_live(live, x, refused));
  } catch (...) {
    if (!asked.deciding) release(asked);
    throw;
  }
  release_if_done(asked);
}

/// Has the head of the request.
void Candidate::ask(CandidateExchange& asked, const Said& live) {
  auto& y = asked.x;
  auto problem = walk(*path_, y, asked.in_turn);
  if (!problem && asks_redis(y)) {
    Round round(y.admission, RoundKind::redis, Stage::redis);
    if (needs_call(*path_, y, round, problem)) {
      if (calls_ == kMaxCalls) {
        round.drop();
        return no_answer(asked, Undecided::busy);
      }
      keep_texts(y);
      asked.live = live;
      asked.live.key = y.text.join({live.key});
      return spawn(call_redis(shared_from_this(), asked, round), "candidate");
    }
    asked.in_turn = problem && lets_wait(y.route->limits_at(Stage::redis));
  }
  conclude_with(asked, live, problem ? &*problem : nullptr);
}

Task<void> Candidate::call_redis(std::shared_ptr<Candidate> self, CandidateExchange& asked, Round round) {
  auto& y = asked.x;
  asked.deciding = true;
  ++self->calls_;
  try {
    const auto redis = y.snapshot->redis;
    auto call = redis->decide(round.checks(), round.decisions());
    auto agreed = co_await call;
    if (agreed.has_value() && !*agreed && in_shards(round)) {
      auto others = ask_other_shards(y, round);
      agreed = co_await others;
    }
    asked.deciding = false;
    if (self->stopped_) {
      asked.done = true;
    } else if (agreed.has_error()) {
      round.drop();
      self->no_answer(asked, Undecided::redis);
    } else {
      self->redis_said(asked, round, *agreed);
    }
  } catch (...) {
    self->told_bug();
    asked.done = true;
  }
  asked.deciding = false;
  --self->calls_;
  self->release_if_done(asked);  // else decide() does, from where it was called
}

void Candidate::redis_said(CandidateExchange& asked, Round& round, bool agreed) {
  auto& y = asked.x;
  MaybeProblem problem;
  use(*path_, y, round, agreed, problem);
  asked.in_turn = problem && lets_wait(y.route->limits_at(Stage::redis));
  const auto live = asked.live;
  const auto* const refused = problem ? &*problem : nullptr;
  if (asked.from == nullptr) return conclude_with(asked, live, refused);
  const Lent lent(asked);
  conclude_with(asked, live, refused);
}

/// What it took elsewhere stays taken, as for a request that goes on.
void Candidate::no_answer(CandidateExchange& asked, Undecided why) {
  undecided(why);
  keep(asked);
}

void Candidate::conclude_with(CandidateExchange& asked, const Said& live, const Problem* refused) {
  auto& y = asked.x;
  auto own = said_of(y, refused, true);
  if (refused != nullptr && asked.in_turn) {
    own.kind = Said::Kind::undecided;
    own.why = Undecided::queue;
  }
  compare(live, y, own);
  if (refused == nullptr) {
    asked.live.kind = live.kind;
    return keep(asked);
  }
  y.status = refused->status;
  y.ended_by = refused->ended_by;
  if (y.route != nullptr && y.route->takes(Step::settle)) note_status(y, y.status);
  leave(asked);
  asked.done = true;
}

/// It goes on: until its end, if anything is left to do then.
void Candidate::keep(CandidateExchange& asked) {
  auto& y = asked.x;
  y.admission.served = true;
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
    note_costs(y);
  } catch (...) {
    asked.of.told_bug();
  }
}

void Candidate::ended(Exchange& x) noexcept {
  auto& asked = *x.candidate;
  auto& of = asked.of;
  if (asked.deciding) {  // what is left to do then needs no head
    note_end(asked);
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

/// Of a request that only the candidate allows, nobody knows the answer: it costs what was held, and is no offence.
void Candidate::note_end(CandidateExchange& asked) noexcept {
  auto& y = asked.x;
  const auto& x = *asked.from;
  const bool answered = asked.live.kind == Said::Kind::allowed;
  y.status = answered ? status_at_end(x) : 0;
  y.unanswered = !answered || avoided_answer(x);
  y.ended_by = y.unanswered ? EndedBy::client_closed : x.ended_by;
  y.broken_off = answered ? x.broken_off : BrokenOff::drain;
}

/// When its limits are decided, and its end is known.
void Candidate::note_status_of_answer(CandidateExchange& asked) {
  auto& y = asked.x;
  if (y.status != 0 && y.route != nullptr && y.route->takes(Step::settle)) note_status(y, y.status);
}

void Candidate::leave(CandidateExchange& asked) {
  auto& y = asked.x;
  if (y.route == nullptr) return;
  for (auto left = y.route->left & kLeftByCandidates; !left.empty(); left = left.without({left.last()})) {
    const auto step = left.last();
    if (step == Step::offences && asked.from == nullptr) continue;  // its key is in the head
    kPath[static_cast<std::size_t>(step)].leave(*path_, y);
  }
}

}  // namespace headgate::gateway
