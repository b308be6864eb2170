#include "meaning_health.hpp"

#include "headgate/core/literals.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

std::string statuses(const std::vector<upstream::StatusRange>& ranges) {
  std::string out;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    out += i == 0 ? "" : i + 1 == ranges.size() ? " or " : ", ";
    out += std::to_string(ranges[i].least);
    if (ranges[i].most != ranges[i].least) out += " to " + std::to_string(ranges[i].most);
  }
  return out;
}

/// "one failed check takes", "3 failed checks in a row take".
std::string checks(std::uint32_t count, const char* how, const std::string& verb) {
  return count == 1 ? std::string("one ") + how + " check " + verb + 's'
                    : std::to_string(count) + ' ' + how + " checks in a row " + verb;
}

std::string health_of(const upstream::Options& upstream) {
  const auto& health = *upstream.health;
  std::string out = "  every " + to_text(health.every) + " each server ";
  out += health.path.empty() ? "is connected to" : "is asked for " + health.path;
  out += ", and must " + (health.path.empty() ? std::string("accept") : "answer with " + statuses(health.expect)) +
         " within " + to_text(health.timeout) + '\n';
  return out + "  " + checks(health.rule.down_after, "failed", "take") + " it out of rotation, " +
         checks(health.rule.up_after, "passed", "bring") +
         " it back; it is up until its first check, which decides alone\n";
}

std::string bounds_of(const upstream::Options& upstream, const std::vector<gateway::ServerQueue>& queues) {
  std::uint64_t all = 0;
  std::string out;
  for (const auto& server : upstream.servers) {
    all += server.max_in_flight;
    if (server.max_in_flight > 0)
      out += (out.empty() ? "" : ", ") + server.text + " at most " + std::to_string(server.max_in_flight);
  }
  if (all == 0) return {};
  out = "  requests at the same time: " + out + '\n';
  for (const auto& queue : queues) {
    if (queue.upstream != upstream.name) continue;
    out += queue.length == 0 ? "  a request that finds no free place is refused with 503\n"
                             : "  up to " + std::to_string(queue.length) + " requests wait for a free place, at most " +
                                   to_text(queue.wait) + "; others are refused with 503\n";
  }
  return out;
}

}  // namespace

std::string care_in_words(const Config& config) {
  std::string out;
  for (const auto& upstream : config.upstreams) {
    auto lines = upstream.health ? health_of(upstream) : std::string();
    lines += bounds_of(upstream, config.gateway.server_queues);
    if (!lines.empty()) out += "\nThe servers of upstream " + upstream.name + ":\n" + lines;
  }
  return out;
}

}  // namespace headgate::config
