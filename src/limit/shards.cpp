#include "headgate/limit/shards.hpp"

#include "mixed.hpp"
#include "refill.hpp"

#include "headgate/limit/scale.hpp"

#include <algorithm>

namespace headgate::limit {
namespace {

/// Returns whether `shards` shards together never allow more than `rule`. If there are too many, they allow more,
/// because limit::scaled() gives each shard at least one request.
bool divides(const Rule& rule, std::uint32_t shards) {
  if (rule.burst < shards) return false;
  const auto part = scaled(rule, 1, shards);
  return part.rate.period != rule.rate.period || part.rate.count * shards <= rule.rate.count;
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

Duration wait_of_empty(const Check& check) noexcept {
  if (check.cost > static_cast<std::int64_t>(check.rule->burst)) return kNever;
  return Duration(check.rule->algorithm->even ? round_up(time_of(check.cost, check.rule->rate)) : 0);
}

std::uint64_t lost_in_shards(const Rule& rule, std::uint32_t shards) noexcept { return rule.burst % shards; }

}  // namespace headgate::limit
