// Billed limits: the cost of a request is added to the use of its key at the end.

#include "gateway/admission/billing.hpp"
#include "steps.hpp"

namespace headgate::gateway {

void leave_bill(Path& path, Exchange& x) { bill(path, x); }

}  // namespace headgate::gateway
