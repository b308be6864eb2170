#include "gateway/steps/walk.hpp"

#include "gateway/admission/give_back.hpp"
#include "gateway/steps/instead.hpp"

namespace headgate::gateway {
namespace {

constexpr StepSet kWhileSuspended = {Step::suspended, Step::suspended_by_claim};

/// The steps that need a server or a body. They are not taken for a request that another proxy asks about.
constexpr StepSet kOfAnswers = {Step::grpc_web,     Step::compress,      Step::in_flight, Step::circuit, Step::shed,
                                Step::read_body,    Step::hold_body,     Step::capacity,  Step::queue,   Step::place,
                                Step::server_queue, Step::circuit_trial, Step::settle};

const StepRow& row_of(Step step) noexcept { return kPath[static_cast<std::size_t>(step)]; }

}  // namespace

const Run* Walk::next() {
  if (problem_) return nullptr;
  while (!ahead_.empty()) {
    at_ = ahead_.first();
    const auto& row = row_of(at_);
    const auto& run = row.*run_;
    if (run.task != nullptr && (run.waits == nullptr || run.waits(path_, x_))) return &run;
    if (run.at_once != nullptr) {
      // The result is not copied, because most steps do not refuse.
      if (const auto said = run.at_once(path_, x_)) refused(*said);
    }
    if (x_.route != route_) {
      route_ = x_.route;
      ahead_ = steps();
    }
    if (problem_) return nullptr;
    ahead_ = ahead_.behind(at_);
  }
  return nullptr;
}

void Walk::ended(const MaybeProblem& problem) {
  if (problem) refused(*problem);
  if (problem_) return;
  // The steps are determined again, because an operator may have suspended a caller while the step waited.
  ahead_ = served() ? StepSet() : steps().behind(at_);
}

StepSet Walk::steps() noexcept {
  const auto all = path_.services.bans.operated() ? x_.route->steps : x_.route->steps.without(kWhileSuspended);
  x_.used = x_.used || !(all & kKeeping).empty();
  const auto asked = x_.asked_by == net::AskingProxy::none ? all : all.without(kOfAnswers);
  return asked & (x_.preflight ? kOfPreflights & only_ : only_);
}

void Walk::refused(const Problem& problem) {
  if (at_ < Step::delay && goes_elsewhere(x_, problem)) [[unlikely]] {
    only_ = only_ & go_elsewhere(x_, problem);
    return;
  }
  problem_ = problem;
  if (row_of(at_).refused == OnRefusal::goes_back) give_back(path_, x_);
}

void leave_step(Path& path, Exchange& x, Step step) {
  x.left.add(step);  // the step is recorded first, so that it is never left twice, even if leaving it throws
  row_of(step).leave(path, x);
}

void leave_steps(Path& path, Exchange& x, StepSet only) {
  if (x.route == nullptr || !x.snapshot) return;
  only = x.route->left & only;
  for (auto left = only.without(x.left); !left.empty(); left = only.without(x.left)) leave_step(path, x, left.last());
}

StepCounters make_step_counters(const Counting& counting) {
  StepCounters counters;
  for (const auto& row : kPath) {
    if (row.facts.counts == nullptr) continue;
    auto& made = counters[static_cast<std::size_t>(row.facts.counts->step)];
    if (made == nullptr) made = row.facts.counts->make(counting);
  }
  return counters;
}

void clear_gauges(const StepCounters& counters) noexcept {
  for (const auto& row : kPath)
    if (row.facts.counts != nullptr && row.facts.counts->clear != nullptr)
      row.facts.counts->clear(counters[static_cast<std::size_t>(row.facts.counts->step)].get());
}

void count_each(StepSet ahead, const StepCounters& counters, const Exchange& x) {
  for (; !ahead.empty(); ahead = ahead.behind(ahead.first())) {
    const auto& counts = *row_of(ahead.first()).facts.counts;
    counts.count(counters[static_cast<std::size_t>(counts.step)].get(), x);
  }
}

void record_steps(const Exchange& x, observe::AccessRecord& record) {
  if (x.route == nullptr || !x.snapshot) return;
  for (auto ahead = x.route->recorded; !ahead.empty(); ahead = ahead.behind(ahead.first()))
    row_of(ahead.first()).facts.record(x, record);
}

void explain_steps(Exchange& x, Explanation& explanation) {
  if (x.route == nullptr) return;
  for (const auto& row : kPath)
    if (row.facts.explain != nullptr && x.route->takes(row.step)) row.facts.explain(x, explanation);
}

}  // namespace headgate::gateway
