#include "headgate/gateway/candidate.hpp"

#include "candidate_exchange.hpp"
#include "gateway/limits/shards.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/gateway/exchange_counters.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/observe/event.hpp"
#include "headgate/observe/families/candidate.hpp"

#include <boost/smart_ptr/make_local_shared.hpp>

#include <algorithm>

namespace headgate::gateway {
namespace {

constexpr unsigned kUncountable = 503;

constexpr std::size_t at(Compared what) noexcept { return static_cast<std::size_t>(what); }

/// Returns whether a policy caused this refusal. A policy is a rule about who may do what, and how much.
bool is_of_policy(const Problem& refused) noexcept {
  switch (refused.ended_by) {
    case EndedBy::limit:
      return refused.status != kUncountable;  // the cause is not a policy if Redis is unavailable
    case EndedBy::auth:
      // the cause is not a policy if no keys are available to check the token
      return refused.status != kUncountable || !refused.limit.empty();
    case EndedBy::ban:
    case EndedBy::no_route:
    case EndedBy::bad_request:
    case EndedBy::respond:  // a redirect to https
      return true;
    default:
      return false;
  }
}

/// Returns whether an operator suspended this caller at the live gateway.
bool is_by_operator(const Path& live, const Exchange& x) {
  const auto& by = x.suspension;
  if (by.by == nullptr || by.by->policy == nullptr) return true;
  const auto found = live.services.bans.find(by.by->policy->offences, by.key, live.services.clock.wall());
  return !found || found->operated;
}

}  // namespace

Candidate::Candidate(Clock& clock, Random& random, std::shared_ptr<CandidateState> state, Snapshot parts,
                     std::shared_ptr<const CompiledConfig> live, observe::Registry& registry, observe::Writer worker)
    : state_(std::move(state)),
      registry_(registry),
      worker_(worker),
      live_(std::move(live)),
      log_(std::make_unique<Log>()) {
  for (std::size_t i = 0; i < totals_.size(); ++i)
    totals_[i] = &registry.counter(worker, observe::family::candidate_requests, {std::string(kComparedWords[i])});
  for (std::size_t i = 0; i < reasons_.size(); ++i)
    reasons_[i] = &registry.counter(worker, observe::family::candidate_undecided, {std::string(kUndecidedWords[i])});
  live_rows_ = rows_of(*live_);
  own_rows_ = rows_of(*parts.compiled);
  path_ = std::make_unique<Path>(
      Services{clock, random, state_->memory, log_->access, state_->bans, state_->rooms, state_->flights},
      complete(std::move(parts)));
  path_->offences->keep_quiet();
  path_->verifies_tokens = false;
}

Candidate::~Candidate() = default;

void Candidate::adopt(Snapshot parts, std::shared_ptr<const CompiledConfig> live) {
  live_ = std::move(live);
  live_rows_ = rows_of(*live_);
  own_rows_ = rows_of(*parts.compiled);
  path_->adopt(complete(std::move(parts)));
}

void Candidate::use_overrides(std::shared_ptr<const OverrideTable> overrides) {
  Snapshot parts = *path_->snapshot;
  parts.overrides = std::move(overrides);
  path_->adopt(boost::make_local_shared<Snapshot>(std::move(parts)));
}

SnapshotPtr Candidate::complete(Snapshot parts) {
  parts.counters = std::make_shared<const ExchangeCounters>(unseen_, observe::Writer{0}, *parts.compiled);
  return boost::make_local_shared<Snapshot>(std::move(parts));
}

Candidate::Row& Candidate::row(std::string_view limit, std::string_view tier) {
  const auto [found, made] = rows_.try_emplace({std::string(limit), std::string(tier)});
  auto& row = found->second;
  if (!made) return row;
  for (std::size_t i = 0; i < row.by.size(); ++i)
    row.by[i] = &registry_.counter(worker_, observe::family::candidate_limit_requests,
                                   {std::string(limit), std::string(tier), std::string(kComparedWords[i])});
  row.hit = &hit_.of(limit);
  row.freed = &freed_.of(limit);
  return row;
}

std::vector<Candidate::Row*> Candidate::rows_of(const CompiledConfig& compiled) {
  std::vector<Row*> rows;
  for (const auto& ready : compiled.limits())
    for (const auto& tier : ready->tiers) rows.push_back(&row(ready->limit.name, tier.name));
  return rows;
}

/// If `known` is false, finds the row by its name, because an exchange may still have a configuration from before a
/// reload.
Candidate::Row& Candidate::row_of(const CompiledTier& tier, const std::string& limit, const std::vector<Row*>& rows,
                                  bool known) {
  return known ? *rows[tier.number] : row(limit, tier.name);
}

Candidate::Said Candidate::said_of(const Exchange& x, const Problem* refused, bool own) {
  Said out;
  if (refused == nullptr) return out;
  out.kind = is_of_policy(*refused) ? Said::Kind::refused : Said::Kind::undecided;
  if (own)
    out.why = refused->ended_by == EndedBy::auth        ? Undecided::token
              : refused->ended_by == EndedBy::too_large ? Undecided::body
                                                        : Undecided::bug;
  if (out.kind == Said::Kind::undecided) return out;
  const auto& a = x.admission;
  if (refused->ended_by == EndedBy::limit && a.outcome == Admission::Outcome::rejected && a.binding != nullptr) {
    const auto& checked = *a.binding;
    const auto& compiled = own ? path_->snapshot->compiled : live_;
    out.row = &row_of(*checked.tier, checked.route_limit->limit->name, own ? own_rows_ : live_rows_,
                      x.snapshot->compiled == compiled);
    const auto counted = counted_key(a, checked);
    out.key = counted.key;
    out.hash = counted.hash;
    return out;
  }
  out.row = &row(refused->limit.empty() ? kNoLimit : refused->limit, {});
  if (refused->ended_by == EndedBy::ban) {
    out.key = x.suspension.key;
    out.hash = keyed_hash(out.key, 0).low;
  }
  return out;
}

Candidate::Said Candidate::said_of_live(const Path& live, const Exchange& x, const Problem* refused) {
  if (refused != nullptr && refused->ended_by == EndedBy::ban && is_by_operator(live, x)) {
    Said out;
    out.kind = Said::Kind::undecided;
    return out;
  }
  return said_of(x, refused, false);
}

void Candidate::compare(const Said& live, const Exchange& y, const Said& own) {
  using Kind = Said::Kind;
  if (live.kind == Kind::undecided) return undecided(live.why);
  if (own.kind == Kind::undecided) return undecided(own.why);
  const bool before = live.kind == Kind::allowed;
  const bool after = own.kind == Kind::allowed;
  const auto what =
      before ? (after ? Compared::both_allowed : Compared::hit) : (after ? Compared::freed : Compared::both_refused);
  totals_[at(what)]->add();
  if (what == Compared::both_allowed) {
    for (const auto& checked : y.admission.limits)
      row_of(*checked.tier, checked.route_limit->limit->name, own_rows_,
             y.snapshot->compiled == path_->snapshot->compiled)
          .by[at(what)]
          ->add();
    return;
  }
  const auto& by = what == Compared::freed ? live : own;
  by.row->by[at(what)]->add();
  if (by.key.empty() || what == Compared::both_refused) return;
  (what == Compared::hit ? by.row->hit : by.row->freed)->rejected(by.hash, by.key);
}

void Candidate::undecided(Undecided why) {
  totals_[at(Compared::undecided)]->add();
  reasons_[static_cast<std::size_t>(why)]->add();
}

/// Counts each occurrence of the bug but reports only the first, because it may occur with every request.
void Candidate::told_bug() noexcept {
  try {
    undecided(Undecided::bug);
    if (bug_told_) return;
    bug_told_ = true;
    observe::event(observe::LogLevel::error, "candidate_bug", "an unexpected exception occurred in the candidate");
  } catch (...) {  // There is no memory left for the report.
    return;
  }
}

std::vector<observe::LimitSketches> Candidate::take_keys() {
  std::map<std::string, observe::LimitSketches> by_limit;
  for (auto& taken : hit_.take()) {
    auto& one = by_limit[taken.limit];
    one.limit = taken.limit;
    one.rejected = std::move(taken.rejected);
  }
  for (auto& taken : freed_.take()) {
    auto& one = by_limit[taken.limit];
    one.limit = taken.limit;
    one.allowed = std::move(taken.rejected);
  }
  std::vector<observe::LimitSketches> out;
  out.reserve(by_limit.size());
  for (auto& [limit, one] : by_limit) out.push_back(std::move(one));
  return out;
}

void Candidate::stop() {
  stopped_ = true;
  path_->stop();
}

}  // namespace headgate::gateway
