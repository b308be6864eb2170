#pragma once
// How the rows of the table run: functions of steps in the form that a row takes. Only for table.cpp.

#include "gateway/steps/applies.hpp"
#include "gateway/steps/steps.hpp"
#include "gateway/steps/table.hpp"

namespace headgate::gateway {

constexpr Run both(MaybeProblem (*step)(Path&, Exchange&)) { return {.at_once = step}; }

template <Stage stage>
MaybeProblem limits_at(Path& path, Exchange& x) {
  return admit(path, x, stage);
}

template <Stage stage>
Task<MaybeProblem> limits_in_turn_at(Path& path, Exchange& x) {
  return admit_in_turn(path, x, stage);
}

inline Task<MaybeProblem> limits_in_redis(Path& path, Exchange& x) {
  return admit_in_redis(path, x, RoundPart::but_guesses);
}

inline Task<MaybeProblem> limits_of_guesses(Path& path, Exchange& x) {
  return admit_in_redis(path, x, RoundPart::guesses);
}

template <bool after_auth>
MaybeProblem bans_at(Path& path, Exchange& x) {
  return check_bans(path, x, after_auth);
}

template <bool after_auth>
MaybeProblem suspended_at(Path& path, Exchange& x) {
  return check_suspended(path, x, after_auth);
}

}  // namespace headgate::gateway
