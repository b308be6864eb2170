#include "headgate/admin/upstream_queues.hpp"

#include "headgate/gateway/queue_names.hpp"
#include "headgate/observe/families/upstreams.hpp"

#include <algorithm>

namespace headgate::admin {

std::vector<QueueUse> queues_of(const gateway::CompiledConfig& compiled, const std::string& upstream,
                                const shed::WaitQueues& waiters, const observe::Registry& registry) {
  std::vector<QueueUse> out;
  const auto prefix = "upstreams." + upstream;
  const auto all = compiled.upstreams();
  const auto found = std::ranges::find(all, upstream, &gateway::UpstreamOptions::name);
  if (found == all.end()) return out;
  const auto& servers = found->server_queue;
  if (servers && servers->length > 0) {
    const auto waiting = waiters.waiting(gateway::queue_of_servers(upstream));
    out.push_back({"servers", prefix + ".queue.length", waiting, waiting, servers->length});
  }
  const auto& places = found->concurrency;
  if (!places || !places->queue) return out;
  const auto length = places->queue->length;
  if (places->adaptive) {
    const auto now = registry.gauges(observe::family::queue_waiting, {upstream});
    out.push_back({"adaptive", prefix + ".concurrency.queue.length", static_cast<std::uint64_t>(now.sum),
                   static_cast<std::uint64_t>(now.highest), length});
  }
  if (places->in_flight > 0) {
    std::uint64_t waiting = 0;
    for (const auto& queue : gateway::queues_of_capacity(compiled, upstream)) waiting += waiters.waiting(queue);
    out.push_back({"in_flight", prefix + ".concurrency.queue.length", waiting, waiting, length});
  }
  return out;
}

}  // namespace headgate::admin
