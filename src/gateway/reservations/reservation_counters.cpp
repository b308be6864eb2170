#include "reservation_counters.hpp"

#include "headgate/core/per_enum.hpp"
#include "headgate/observe/families/permits.hpp"
#include "headgate/observe/metrics.hpp"

#include <string>

namespace headgate::gateway {

void ReservationCounters::open(std::size_t count) const {
  registry_.gauge(observe::family::reservations_open, {std::to_string(worker_)}).set(static_cast<double>(count));
}

void ReservationCounters::ended(ReservationEnd how) const {
  static constexpr WordsUpTo<ReservationEnd::refused> kEnds({"used", "cancelled", "expired", "refused"});
  registry_.counter(worker_, observe::family::reservations, {std::string(kEnds[how])}).add();
}

}  // namespace headgate::gateway
