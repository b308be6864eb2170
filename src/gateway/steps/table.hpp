#pragma once
// The path as a table: one row a step.

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

/// How a step runs. Nothing set: it does nothing then.
struct Run {
  /// At once, without a coroutine.
  MaybeProblem (*at_once)(Path& path, Exchange& x) = nullptr;
  /// Instead of that as a coroutine, if `waits` says so or is null.
  Task<MaybeProblem> (*task)(Path& path, Exchange& x) = nullptr;
  bool (*waits)(Path& path, Exchange& x) = nullptr;
};

/// What becomes of the permits that earlier steps took if this one refuses the request.
enum class OnRefusal {
  stays,        ///< the refusal is the caller's doing: guesses and floods are not free
  goes_back,    ///< the gateway cannot serve it: the caller pays nothing
  goes_back_by  ///< the step gives back itself, because what it does then needs the permits
};

/// How a step counts. Its counters are of a type of its own, which is made for each configuration.
struct StepCounts {
  Step step;  ///< whose counters they are; several steps may count in them
  std::shared_ptr<const void> (*make)(const Counting& counting);
  void (*count)(const void* counters,
                const Exchange& x) = nullptr;              ///< null if its exchanges are not counted at their end
  void (*clear)(const void* counters) noexcept = nullptr;  ///< null if it has no gauges that must be cleared
};

/// Of the counters T, which have `kStep`, a constructor that takes a Counting, clear() if they have gauges of the
/// active configuration, and count(x), unless a function is given.
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

/// What a step says of an exchange beside what is said of all. It asks the exchange: the step may not have been
/// reached.
struct Told {
  const StepCounts* counts = nullptr;                                          ///< in the metrics, at the end
  void (*record)(const Exchange& x, observe::AccessRecord& record) = nullptr;  ///< in the log, behind what fill() said
  void (*explain)(Exchange& x, Explanation& explanation) = nullptr;            ///< to whoever asks what would happen
};

/// What else is said of a step in one word; joined by |. A candidate of the configuration asks nobody and reads no
/// body, so it takes only some of the steps; its limits in Redis it asks behind them (gateway/candidate).
namespace mark {
inline constexpr unsigned common = 1;               ///< it has no member of StepState
inline constexpr unsigned of_preflights = 2;        ///< preflights take it, too
inline constexpr unsigned identifies = 4;           ///< it says whose limits somebody asks about (the path `usage`)
inline constexpr unsigned of_candidates = 8;        ///< a candidate takes it, as it is looked at
inline constexpr unsigned left_by_candidates = 16;  ///< a candidate only leaves it
}  // namespace mark

struct StepRow {
  Step step;
  unsigned marks = 0;
  std::string_view name;
  std::string_view of;   ///< which routes have it, in words
  std::string_view why;  ///< why it stands where it stands
  /// Whether requests of this route take it. Asked once, when the configuration is compiled. Null: all do.
  bool (*applies)(const Route& route) = nullptr;
  Run live{};
  Run peek{};  ///< for a request that takes nothing (Admission::peek), and for one in a candidate
  OnRefusal refused = OnRefusal::stays;
  /// At the end of the exchange, whatever became of it, in the reverse order; also if the step was not reached.
  void (*leave)(Path& path, Exchange& x) = nullptr;
  Told told{};
};

/// All steps, in their order.
extern const std::array<StepRow, kSteps> kPath;

/// The steps that keep something in StepState.
extern const StepSet kKeeping;
/// The steps that preflights take: from none of the limits of their route.
extern const StepSet kOfPreflights;
/// Those that say who the caller is.
extern const StepSet kIdentifying;
/// Those that a candidate takes, and those that it leaves.
extern const StepSet kOfCandidates, kLeftByCandidates;

/// Finds the steps of a route that is complete otherwise.
void note_steps(Route& route);

}  // namespace headgate::gateway
