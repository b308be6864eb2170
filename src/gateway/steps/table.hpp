#pragma once
// The path as a table with a row for each step.

#include "gateway/path/path.hpp"

#include "headgate/gateway/exchange_counters.hpp"
#include "headgate/gateway/steps.hpp"

#include <array>
#include <memory>
#include <string_view>

namespace headgate::observe {
struct AccessRecord;
}

namespace headgate::gateway {

struct Explanation;

/// The functions that run a step. If both are null, the step does nothing.
struct Run {
  /// Runs at once, without a coroutine.
  MaybeProblem (*at_once)(Path& path, Exchange& x) = nullptr;
  /// Runs as a coroutine in place of `at_once`, if `waits` returns true or is null.
  Task<MaybeProblem> (*task)(Path& path, Exchange& x) = nullptr;
  bool (*waits)(Path& path, Exchange& x) = nullptr;
};

/// The fate of the permits that earlier steps took, if this step refuses the request.
enum class OnRefusal {
  stays,        ///< kept, because the caller has caused the refusal: guesses and floods must not be free
  goes_back,    ///< returned, because the gateway cannot serve the request, and the caller is not charged
  goes_back_by  ///< returned by the step itself, which still needs them when it refuses
};

/// The counters of a step. Each step defines their type, and they are created for each configuration.
struct StepCounts {
  Step step;  ///< the step that owns the counters; several steps may use them
  std::shared_ptr<const void> (*make)(const Counting& counting);
  void (*count)(const void* counters,
                const Exchange& x) = nullptr;              ///< null if exchanges are not counted at their end
  void (*clear)(const void* counters) noexcept = nullptr;  ///< null if there are no gauges to clear
};

/// Describes the counters T, which have `kStep` and a constructor that takes a Counting. T may have clear(), for gauges
/// of the active configuration, and count(x), which is used if the argument `count` is null.
template <typename T, void (*count)(const T& counters, const Exchange& x) = nullptr>
constexpr StepCounts counts_in() {
  StepCounts counts{.step = T::kStep, .make = [](const Counting& counting) -> std::shared_ptr<const void> {
                      return std::make_shared<const T>(counting);
                    }};
  if constexpr (count != nullptr)
    counts.count = [](const void* made, const Exchange& x) { count(*static_cast<const T*>(made), x); };
  else if constexpr (requires(const T& made, const Exchange& x) { made.count(x); })
    counts.count = [](const void* made, const Exchange& x) { static_cast<const T*>(made)->count(x); };
  if constexpr (requires(const T& made) { made.clear(); })
    counts.clear = [](const void* made) noexcept { static_cast<const T*>(made)->clear(); };
  return counts;
}

/// The facts that a step adds to metrics, log and explanations. The functions read only the exchange, because the step
/// may not have been reached.
struct StepFacts {
  const StepCounts* counts = nullptr;                                          ///< for the metrics, at the end
  void (*record)(const Exchange& x, observe::AccessRecord& record) = nullptr;  ///< for the log, after fill()
  void (*explain)(Exchange& x, Explanation& explanation) = nullptr;            ///< for explanations
};

/// Marks of a step, joined by |. A candidate of the configuration makes no calls and waits for no body, so it takes
/// only some of the steps. It checks its limits in Redis after those steps (gateway/candidate).
namespace mark {
inline constexpr unsigned common = 1;         ///< the step has no member of StepState
inline constexpr unsigned of_preflights = 2;  ///< preflights take the step, too
inline constexpr unsigned identifies = 4;  ///< the step helps to find the caller whose limits the path `usage` reports
inline constexpr unsigned of_candidates = 8;        ///< a candidate takes the step, with the functions in `peek`
inline constexpr unsigned left_by_candidates = 16;  ///< a candidate does not run the step, but its `leave` at the end
}  // namespace mark

struct StepRow {
  Step step;
  unsigned marks = 0;
  std::string_view name;
  std::string_view of;   ///< the routes that have the step, in words
  std::string_view why;  ///< the reason for the step's place in the path
  /// Returns whether requests of this route take the step. Called once, when the configuration is compiled. Null if all
  /// routes have it.
  bool (*applies)(const Route& route) = nullptr;
  Run live{};
  Run peek{};  ///< used for a request that takes no permits (Admission::peek), and for a request of a candidate
  OnRefusal refused = OnRefusal::stays;
  /// Runs at the end of the exchange, in reverse order of the steps, whatever the result is and even if the step was
  /// not reached.
  void (*leave)(Path& path, Exchange& x) = nullptr;
  StepFacts facts{};
};

/// All steps, in their order.
extern const std::array<StepRow, kSteps> kPath;

/// The steps that have members of StepState.
extern const StepSet kKeeping;
/// The steps that preflights take; they skip the limits of their route.
extern const StepSet kOfPreflights;
/// The steps that identify the caller.
extern const StepSet kIdentifying;
/// The steps that a candidate takes, and the steps that it only leaves.
extern const StepSet kOfCandidates, kLeftByCandidates;

/// Sets the steps of a route. Call it when the rest of the route is complete.
void note_steps(Route& route);

}  // namespace headgate::gateway
