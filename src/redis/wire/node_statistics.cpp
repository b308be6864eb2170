#include "node_statistics.hpp"

#include <algorithm>

namespace headgate::redis {
namespace {

void add(const Counters& part, Counters& sum) {
  sum.sent += part.sent;
  sum.decided += part.decided;
  sum.timed_out += part.timed_out;
  sum.refused += part.refused;
  sum.not_sent += part.not_sent;
  sum.connects += part.connects;
  sum.writes += part.writes;
}

}  // namespace

void NodeStats::decided_after(Duration took) noexcept {
  decided.add();
  const auto bucket = std::lower_bound(kLatencyBounds.begin(), kLatencyBounds.end(), took) - kLatencyBounds.begin();
  latency[static_cast<std::size_t>(bucket)].add();
  latency_sum.add(static_cast<std::uint64_t>(took.count()));
}

NodeStatus NodeStats::read() const {
  NodeStatus status;
  status.name = name;
  status.health = health.load(std::memory_order_relaxed);
  status.counters.sent = sent.get();
  status.counters.decided = decided.get();
  status.counters.timed_out = timed_out.get();
  status.counters.refused = refused.get();
  status.counters.not_sent = not_sent.get();
  status.counters.connects = connects.get();
  status.counters.writes = writes.get();
  std::transform(latency.begin(), latency.end(), status.latency.begin(),
                 [](const Count& count) { return count.get(); });
  status.latency_sum = Duration(latency_sum.get());
  return status;
}

std::shared_ptr<NodeStats> NodeStatistics::add(std::string_view name) {
  auto node = std::make_shared<NodeStats>(name);
  const std::lock_guard lock(mutex_);
  nodes_.push_back(node);
  return node;
}

void NodeStatistics::remove(const std::shared_ptr<NodeStats>& node) {
  const std::lock_guard lock(mutex_);
  if (std::erase(nodes_, node) != 0) redis::add(node->read().counters, departed_);
}

std::vector<NodeStatus> NodeStatistics::nodes() const {
  const std::lock_guard lock(mutex_);
  std::vector<NodeStatus> all;
  all.reserve(nodes_.size());
  for (const auto& node : nodes_) all.push_back(node->read());
  return all;
}

Counters NodeStatistics::totals() const {
  const std::lock_guard lock(mutex_);
  Counters sum = departed_;
  for (const auto& node : nodes_) redis::add(node->read().counters, sum);
  return sum;
}

}  // namespace headgate::redis
