#include "headgate/admin/collect.hpp"
#include "headgate/net/descriptors.hpp"
#include "headgate/net/listener.hpp"
#include "headgate/observe/families/connections.hpp"

namespace headgate::admin {

void collect_connections(observe::Registry& registry, const session::Totals& totals) {
  registry.collect([&totals](observe::Scrape& scrape) {
    using Why = session::ConnectionBounds::Why;
    namespace family = observe::family;
    scrape.value(family::connections_active, {},
                 static_cast<double>(totals.connections.load(std::memory_order_relaxed)));
    for (const auto why : {Why::total, Why::address, Why::rate, Why::memory})
      scrape.value(family::connections_refused, {std::string(to_text(why))},
                   static_cast<double>(totals.bounds.count(why)));
    scrape.value(family::connections_gave_way, {}, static_cast<double>(totals.bounds.gave_way()));
    scrape.value(family::own_wants, {}, static_cast<double>(net::own_wants()));
    scrape.value(family::accept_pauses, {}, static_cast<double>(net::accept_pauses()));
    scrape.value(family::buffered_bytes, {}, static_cast<double>(totals.lent.read()));
  });
}

}  // namespace headgate::admin
