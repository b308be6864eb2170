#include "headgate/limit/shards.hpp"

#include "headgate/limit/scale.hpp"

#include <algorithm>

namespace headgate::limit {
namespace {

/// Whether so many shards never allow more than `rule` does: limit::scaled keeps at least one request.
bool divides(const Rule& rule, std::uint32_t shards) {
  if (rule.burst < shards) return false;
  const auto part = scaled(rule, 1, shards);
  return part.rate.period != rule.rate.period || part.rate.count * shards <= rule.rate.count;
}

/// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014): neighbours become numbers that have nothing in common.
std::uint64_t mixed(std::uint64_t number) noexcept {
  number += 0x9E3779B97F4A7C15;
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EB;
  return number ^ (number >> 31);
}

}  // namespace

std::uint32_t shards_of(std::span<const Rule> rules, std::uint32_t wanted) {
  const auto all = [&](std::uint32_t shards) {
    return std::ranges::all_of(rules, [&](const Rule& rule) { return divides(rule, shards); });
  };
  auto shards = std::max(1U, wanted);
  while (shards > 1 && !all(shards)) --shards;
  return shards;
}

std::vector<Rule> one_shard(std::span<const Rule> rules, std::uint32_t shards) {
  std::vector<Rule> out;
  out.reserve(rules.size());
  for (const auto& rule : rules) out.push_back(scaled(rule, 1, shards));
  return out;
}

ShardTurns::ShardTurns(std::uint64_t seed) noexcept {
  for (auto& turn : turns_) turn = static_cast<std::uint32_t>(mixed(seed++));
}

std::uint64_t lost_in_shards(const Rule& rule, std::uint32_t shards) noexcept { return rule.burst % shards; }

}  // namespace headgate::limit
