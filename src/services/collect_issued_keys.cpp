#include "headgate/observe/families/fleet.hpp"
#include "headgate/observe/metrics_scrape.hpp"
#include "headgate/services/key_service.hpp"

#include <utility>

namespace headgate::services {

void collect_issued_keys(observe::Registry& registry, std::function<KeyService::Counts()> ask) {
  registry.collect([ask = std::move(ask)](observe::Scrape& scrape) {
    namespace family = observe::family;
    const auto counts = ask();
    if (!counts.on) return;
    scrape.value(family::issued_keys, {"live"}, static_cast<double>(counts.issued - counts.revoked));
    scrape.value(family::issued_keys, {"revoked"}, static_cast<double>(counts.revoked));
    scrape.value(family::unwritten_keys, {}, static_cast<double>(counts.unwritten));
  });
}

}  // namespace headgate::services
