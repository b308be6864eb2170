// Waits until the permit of a request is due, or until its client leaves. If the client leaves, the permit is lost: if
// it were returned, the next request would be due at the same time as a request that already waits.

#include "headgate/gateway/delay.hpp"

#include "gateway/exchange/deadline.hpp"
#include "steps.hpp"

#include "headgate/observe/access_log.hpp"

namespace headgate::gateway {

bool waits_for_permit(Path& /*path*/, Exchange& x) { return x.admission.delay > Duration(0) && !x.client_gone; }

namespace {

/// Returns the limit that the request waits for.
std::string_view name_of_wait(const Admission& a) {
  for (const auto& checked : a.limits)
    for (std::size_t i = checked.first; i < checked.first + std::size_t{checked.count}; ++i)
      if (a.decisions[i].delay == a.delay) return checked.route_limit->limit->name;
  return {};
}

}  // namespace

Task<MaybeProblem> delay(Path& path, Exchange& x) {
  // The permit is not returned, for the same reason as for a client that leaves: other requests may already wait behind
  // it.
  if (const auto left = time_left(x); left && *left < x.admission.delay)
    co_return Problem{.status = 504,
                      .ended_by = EndedBy::limit,
                      .detail = "The wait for a permit would be longer than the deadline of this request.",
                      .limit = name_of_wait(x.admission)};
  Delay delay(path.services.clock, x.admission.delay);
  x.delay = &delay;
  co_await delay;
  x.delay = nullptr;
  co_return MaybeProblem{};
}

void record_delay(const Exchange& x, observe::AccessRecord& record) { record.delayed = x.admission.delay; }

}  // namespace headgate::gateway
