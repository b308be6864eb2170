#pragma once
// One request on its way through the steps of its route.

#include "gateway/steps/table.hpp"

namespace headgate::gateway {

/// The walk of one exchange through its steps. Requests, explanations, questions for what is left and candidates all
/// use it. If Admission::peek is set before the walk begins, the steps take nothing. Steps that need not wait run here,
/// without a coroutine:
///
///   Walk walk(path, x);
///   while (const auto* const waits = walk.next()) walk.ended(co_await waits->task(path, x));
class Walk {
 public:
  Walk(Path& path, Exchange& x) noexcept : Walk(path, x, x.admission.peek ? &StepRow::peek : &StepRow::live) {}
  /// Only these of the steps of the route that `x` has.
  Walk(Path& path, Exchange& x, StepSet only) noexcept : Walk(path, x) {
    route_ = x.route;
    only_ = only;
    ahead_ = steps();
  }
  /// The steps that candidates take. They run as for a question, but take what they decide about from the counters of
  /// the candidate.
  static Walk of_candidate(Path& path, Exchange& x) noexcept {
    Walk walk(path, x, &StepRow::peek);
    walk.only_ = kOfCandidates;
    return walk;
  }

  /// Runs steps until one has to wait, and returns how; null: all have run, or one has refused the request.
  const Run* next();
  /// What the step said that next() returned.
  void ended(const MaybeProblem& problem);

  MaybeProblem& problem() noexcept { return problem_; }
  /// Whether `serve` was reached.
  bool served() const noexcept { return at_ == Step::serve; }

 private:
  Walk(Path& path, Exchange& x, const Run StepRow::*run) noexcept : path_(path), x_(x), run_(run) {}
  /// Those that the request takes now, on the route that it has now.
  StepSet steps() noexcept;
  void refused(const Problem& problem);

  Path& path_;
  Exchange& x_;
  const Run StepRow::*run_;       ///< in which of its ways each step runs
  const Route* route_ = nullptr;  ///< whose steps these are
  StepSet only_ = StepSet::all();
  StepSet ahead_{Step::find_route};
  Step at_ = Step::find_route;
  MaybeProblem problem_;
};

/// Leaves one step before the end of the exchange. It must have one of its own in the table, and is not left again.
void leave_step(Path& path, Exchange& x, Step step);
/// At the end of an exchange: gives back, counts and notes what its steps hold, the last one first. Only these of them.
void leave_steps(Path& path, Exchange& x, StepSet only = StepSet::all());

// What the steps of its route tell of an exchange (Told). Nothing where it took none of them: without a route, or with
// one that was found only for the log.
void count_each(StepSet ahead, const StepCounters& counters, const Exchange& x);
inline void count_steps(const ExchangeCounters& counters, const Exchange& x) {  // most count nothing
  if (x.route != nullptr && x.snapshot && !x.route->counted.empty())
    count_each(x.route->counted, counters.of_steps(), x);
}
void record_steps(const Exchange& x, observe::AccessRecord& record);
void explain_steps(Exchange& x, Explanation& explanation);

}  // namespace headgate::gateway
