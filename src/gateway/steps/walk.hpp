#pragma once
// The walk of a request through the steps of its route.

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
  /// A walk that takes only these of the steps of the route that `x` has.
  Walk(Path& path, Exchange& x, StepSet only) noexcept : Walk(path, x) {
    route_ = x.route;
    only_ = only;
    ahead_ = steps();
  }
  /// Returns the walk of a candidate through the steps that candidates take. They run as for a request that takes
  /// nothing, but use the counters of the candidate.
  static Walk of_candidate(Path& path, Exchange& x) noexcept {
    Walk walk(path, x, &StepRow::peek);
    walk.only_ = kOfCandidates;
    return walk;
  }

  /// Runs steps until one has to wait, and returns how that one runs; null if all have run, or if one has refused the
  /// request.
  const Run* next();
  /// Continues with the result of the step that next() returned.
  void ended(const MaybeProblem& problem);

  MaybeProblem& problem() noexcept { return problem_; }
  /// Returns whether `serve` was reached.
  bool served() const noexcept { return at_ == Step::serve; }

 private:
  Walk(Path& path, Exchange& x, const Run StepRow::*run) noexcept : path_(path), x_(x), run_(run) {}
  /// Returns the steps of the request on its current route.
  StepSet steps() noexcept;
  void refused(const Problem& problem);

  Path& path_;
  Exchange& x_;
  const Run StepRow::*run_;       ///< the member of a row that says how its step runs
  const Route* route_ = nullptr;  ///< the route whose steps these are
  StepSet only_ = StepSet::all();
  StepSet ahead_{Step::find_route};
  Step at_ = Step::find_route;
  MaybeProblem problem_;
};

/// Leaves one step before the end of the exchange. The step must have a function for it in the table, and is not left
/// again.
void leave_step(Path& path, Exchange& x, Step step);
/// Returns, counts and notes what these steps hold, at the end of an exchange, the last step first.
void leave_steps(Path& path, Exchange& x, StepSet only = StepSet::all());

// Adds what the steps of the route tell about an exchange (Told). Adds nothing if the exchange took none of them:
// without a route, or with one that was found only for the log.
void count_each(StepSet ahead, const StepCounters& counters, const Exchange& x);
inline void count_steps(const ExchangeCounters& counters, const Exchange& x) {  // most steps count nothing
  if (x.route != nullptr && x.snapshot && !x.route->counted.empty())
    count_each(x.route->counted, counters.of_steps(), x);
}
void record_steps(const Exchange& x, observe::AccessRecord& record);
void explain_steps(Exchange& x, Explanation& explanation);

}  // namespace headgate::gateway
