#pragma once
// The walk of a request through the steps of its route.

#include "gateway/steps/table.hpp"

namespace headgate::gateway {

/// The walk of one exchange through its steps, for requests, explanations, usage requests and candidates alike. If
/// Admission::peek is set before the walk begins, the steps take no permits. Steps that need not wait run here, without
/// a coroutine:
///
///   Walk walk(path, x);
///   while (const auto* const waits = walk.next()) walk.ended(co_await waits->task(path, x));
class Walk {
 public:
  Walk(Path& path, Exchange& x) noexcept : Walk(path, x, x.admission.peek ? &StepRow::peek : &StepRow::live) {}
  /// A walk through those steps of the route of `x` that are in `only`.
  Walk(Path& path, Exchange& x, StepSet only) noexcept : Walk(path, x) {
    route_ = x.route;
    only_ = only;
    ahead_ = steps();
  }
  /// Returns the walk of a candidate through the steps that candidates take. They run as for a request that takes no
  /// permits, but use the counters of the candidate.
  static Walk of_candidate(Path& path, Exchange& x) noexcept {
    Walk walk(path, x, &StepRow::peek);
    walk.only_ = kOfCandidates;
    return walk;
  }

  /// Runs steps until one has to wait, and returns the functions of that step. Returns null if all steps have run or
  /// one has refused the request.
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
  const Run StepRow::*run_;       ///< the member of a row that holds the functions of its step
  const Route* route_ = nullptr;  ///< the route that these steps belong to
  StepSet only_ = StepSet::all();
  StepSet ahead_{Step::find_route};
  Step at_ = Step::find_route;
  MaybeProblem problem_;
};

/// Leaves one step before the end of the exchange. The step must have a `leave` function in the table, and is not left
/// again at the end.
void leave_step(Path& path, Exchange& x, Step step);
/// Leaves these steps at the end of an exchange, in reverse order: returns their permits, and counts and records their
/// results.
void leave_steps(Path& path, Exchange& x, StepSet only = StepSet::all());

// Adds the facts that the steps of the route provide about an exchange (StepFacts). Adds nothing if the exchange took
// none of the steps because it has no route, or a route that was found only for the log.
void count_each(StepSet ahead, const StepCounters& counters, const Exchange& x);
inline void count_steps(const ExchangeCounters& counters, const Exchange& x) {  // most steps count nothing
  if (x.route != nullptr && x.snapshot && !x.route->counted.empty())
    count_each(x.route->counted, counters.of_steps(), x);
}
void record_steps(const Exchange& x, observe::AccessRecord& record);
void explain_steps(Exchange& x, Explanation& explanation);

}  // namespace headgate::gateway
