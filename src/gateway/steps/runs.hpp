#pragma once
// Helpers for the table of steps in table.cpp: adapters that turn a step's function into the form of a row, and the
// rows that appear at several places of the path. Only for table.cpp.

#include "gateway/steps/applies.hpp"
#include "gateway/steps/steps.hpp"
#include "gateway/steps/table.hpp"

namespace headgate::gateway {

constexpr Run both(MaybeProblem (*step)(Path&, Exchange&)) { return {.at_once = step}; }

// The functions below make rows that appear at several places of the path. `at` has the place and its reason.

/// The limits of one stage. All limits in Redis need a call. Of the limits in memory, only those of requests in flight
/// may make a request wait.
template <Stage stage, RoundPart part = RoundPart::all>
constexpr StepRow limits_row(StepRow at) {
  constexpr auto kHere = [](Path& path, Exchange& x) { return admit(path, x, stage); };
  constexpr auto kWithWaits = [](Path& path, Exchange& x) { return admit_with_waits(path, x, stage, part); };
  at.marks = mark::common;
  at.applies = has_limits<stage, part>;
  at.refused = OnRefusal::goes_back_by;
  if constexpr (stage == Stage::redis) {
    at.live = at.peek = {.task = kWithWaits};
  } else {
    at.marks |= mark::of_candidates;
    at.live = {.at_once = kHere, .task = kWithWaits, .waits = [](Path&, Exchange& x) { return may_wait_at(x, stage); }};
    at.peek = {.at_once = kHere};
  }
  return at;
}

/// Suspensions by limits with `ban`.
template <bool after_auth>
constexpr StepRow bans_row(StepRow at) {
  at.marks = mark::of_candidates;
  at.applies = [](const Route& route) { return after_auth ? route.bans_after_auth() : route.bans_by_head(); };
  at.live = at.peek = both([](Path& path, Exchange& x) { return check_bans(path, x, after_auth); });
  return at;
}

/// Suspensions by operators.
template <bool after_auth>
constexpr StepRow suspended_row(StepRow at) {
  at.applies = may_be_suspended<after_auth>;
  at.live = at.peek = both([](Path& path, Exchange& x) { return check_suspended(path, x, after_auth); });
  return at;
}

/// The choice between several upstreams.
template <bool after_auth>
constexpr StepRow split_row(StepRow at) {
  at.marks = mark::identifies | mark::of_candidates;
  at.applies = [](const Route& route) { return route.split && route.split->after_auth == after_auth; };
  at.live = at.peek = both(split);
  return at;
}

}  // namespace headgate::gateway
