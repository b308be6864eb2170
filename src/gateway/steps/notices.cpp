// Leaves notices of quotas that have reached a percentage.

#include "gateway/limits/notices.hpp"

#include "steps.hpp"

namespace headgate::gateway {

MaybeProblem note_quotas(Path& path, Exchange& x) {
  path.notices->admitted(x);
  return {};
}

void leave_quotas(Path& path, Exchange& x) { path.notices->ended(x); }

}  // namespace headgate::gateway
