// Settles costs that are known only from the answer.

#include "gateway/limits/settle.hpp"

#include "steps.hpp"

namespace headgate::gateway {

MaybeProblem note_served(Path& /*path*/, Exchange& x) {
  x.admission.served = true;
  return {};
}

void settle_costs(Path& path, Exchange& x) { settle(x, path.services.memory, *path.outage); }

}  // namespace headgate::gateway
