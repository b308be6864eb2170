#include "upstream_queues.hpp"

#include "headgate/gateway/queue_names.hpp"
#include "headgate/observe/metrics_table.hpp"

#include <algorithm>

namespace headgate::server {
namespace {

template <class Options>
const Options* of_upstream(const std::vector<Options>& all, const std::string& upstream) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.upstream == upstream; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::vector<QueueUse> queues_of(const gateway::CompiledConfig& compiled, const std::string& upstream,
                                const shed::WaitQueues& waiters, const observe::Registry& registry) {
  std::vector<QueueUse> out;
  const auto prefix = "upstreams." + upstream;
  const auto& options = compiled.options();
  const auto* const servers = of_upstream(options.server_queues, upstream);
  if (servers != nullptr && servers->length > 0) {
    const auto waiting = waiters.waiting(gateway::queue_of_servers(upstream));
    out.push_back({"servers", prefix + ".queue.length", waiting, waiting, servers->length});
  }
  const auto* const places = of_upstream(options.concurrency, upstream);
  if (places == nullptr || !places->options.queue) return out;
  const auto length = places->options.queue->length;
  if (places->options.adaptive) {
    const auto now = registry.gauges(observe::family::queue_waiting, {upstream});
    out.push_back({"adaptive", prefix + ".concurrency.queue.length", static_cast<std::uint64_t>(now.sum),
                   static_cast<std::uint64_t>(now.highest), length});
  }
  if (places->options.in_flight > 0) {
    std::uint64_t waiting = 0;
    for (const auto& queue : gateway::queues_of_capacity(compiled, upstream)) waiting += waiters.waiting(queue);
    out.push_back({"in_flight", prefix + ".concurrency.queue.length", waiting, waiting, length});
  }
  return out;
}

}  // namespace headgate::server
