#include "headgate/observe/families/fleet.hpp"
#include "headgate/observe/metrics_scrape.hpp"
#include "headgate/services/billing_service.hpp"

#include <utility>

namespace headgate::services {

void collect_billing(observe::Registry& registry, std::function<std::optional<BillingCounts>()> ask) {
  registry.collect([ask = std::move(ask)](observe::Scrape& scrape) {
    namespace family = observe::family;
    const auto counts = ask();
    if (!counts) return;
    scrape.value(family::billing_waiting, {}, static_cast<double>(counts->waiting));
    scrape.value(family::billing_behind, {}, std::chrono::duration<double>(counts->behind).count());
    scrape.value(family::billing_lost_requests, {}, static_cast<double>(counts->lost.requests));
    scrape.value(family::billing_lost_units, {}, static_cast<double>(counts->lost.used));
  });
}

}  // namespace headgate::services
