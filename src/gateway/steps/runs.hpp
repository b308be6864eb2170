#pragma once
// How the rows of the table run: functions of steps in the form that a row takes. Only for table.cpp.

#include "gateway/limits/settle.hpp"
#include "gateway/steps/applies.hpp"
#include "gateway/steps/bill.hpp"
#include "gateway/steps/redirect.hpp"
#include "gateway/steps/split.hpp"
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

inline Task<MaybeProblem> limits_in_redis(Path& path, Exchange& x) { return admit_in_redis(path, x); }

template <bool after_auth>
MaybeProblem bans_at(Path& path, Exchange& x) {
  return check_bans(path, x, after_auth);
}

template <bool after_auth>
MaybeProblem suspended_at(Path& path, Exchange& x) {
  return check_suspended(path, x, after_auth);
}

inline MaybeProblem to_https(Path& /*path*/, Exchange& x) {
  return https_port_of(x) != 0 ? redirect(x) : MaybeProblem();
}

inline MaybeProblem preflight(Path& path, Exchange& x) {
  return x.preflight ? charge_preflight(path, x) : MaybeProblem();
}

inline MaybeProblem split(Path& /*path*/, Exchange& x) {
  choose_share(x);
  return {};
}

inline void write_bill(Path& path, Exchange& x) {
  if (path.services.sheet != nullptr) bill(x, *path.services.sheet);
}

inline void settle_costs(Path& path, Exchange& x) { settle(x, path.services.memory, *path.outage); }

inline MaybeProblem note_quotas(Path& path, Exchange& x) {
  path.notices->admitted(x);
  return {};
}

inline MaybeProblem note_served(Path& /*path*/, Exchange& x) {
  x.admission.served = true;
  return {};
}

}  // namespace headgate::gateway
