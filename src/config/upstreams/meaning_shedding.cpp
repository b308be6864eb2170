#include "meaning_shedding.hpp"

#include "headgate/core/literals.hpp"

namespace headgate::config {
namespace {

std::string of_upstream(const gateway::UpstreamConcurrency& each, std::uint32_t instances) {
  const auto& options = each.options;
  std::string out = "\nUpstream " + each.upstream + " may have as many requests at the same time as it can take:\n";
  if (options.in_flight > 0) {
    const bool fleet = each.store == limit::Store::redis;
    out += "  at most " + std::to_string(options.in_flight) + " of " +
           (fleet ? "all gateways together, counted in Redis" : "this gateway");
    if (fleet && instances > 1) out += "; if Redis is down, each has 1/" + std::to_string(instances) + " of it";
    out += '\n';
  }
  if (options.adaptive)
    out += "  each worker adapts its own limit to the latency of answers, between " +
           std::to_string(options.adaptive->least) + " and " + std::to_string(options.adaptive->most) + '\n';
  if (options.queue && options.in_flight > 0)
    out += "  beyond the " + std::to_string(options.in_flight) + " up to " + std::to_string(options.queue->length) +
           " requests wait, at most " + to_text(options.queue->wait) + ": critical before normal before low\n";
  if (options.queue && options.adaptive)
    out += "  beyond that limit up to " + std::to_string(options.queue->length) +
           " requests of each worker wait, at most " + to_text(options.queue->wait) +
           ", and callers are served in turn\n";
  if (options.reserved > 0)
    out += "  " + std::to_string(options.reserved / (shed::Options::kWhole / 100)) +
           "% of that is only for critical requests\n";
  return out + "  low requests are refused first, then normal ones, as long as higher ones find no place\n";
}

}  // namespace

std::string shedding_in_words(const Config& config) {
  std::string out;
  const auto instances = config.redis ? config.redis->instances : 1;
  for (const auto& each : config.gateway.concurrency) out += of_upstream(each, instances);
  const auto& shedding = config.gateway.shedding;
  if (shedding.loop_lag > Duration(0))
    out += "\nA worker that is more than " + to_text(shedding.loop_lag) +
           " behind refuses low requests first, then normal ones.\n";
  return out;
}

}  // namespace headgate::config
