#include "messages.hpp"

#include "gateway/limits/outage.hpp"
#include "gateway/limits/rounds.hpp"
#include "gateway/limits/shards.hpp"
#include "gateway/path.hpp"

#include <algorithm>
#include <span>

namespace headgate::gateway {

std::uint32_t MessageCount::in(std::string_view bytes) noexcept {
  constexpr unsigned kPrefix = 5;
  std::uint32_t begun = 0;
  while (!bytes.empty()) {
    if (left_ > 0) {
      const auto skipped = std::min<std::uint64_t>(left_, bytes.size());
      left_ -= skipped;
      bytes.remove_prefix(skipped);
      continue;
    }
    if (prefix_ > 0) length_ = length_ << 8 | static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (++prefix_ < kPrefix) continue;
    left_ = length_;
    length_ = 0;
    prefix_ = 0;
    ++begun;
  }
  return begun;
}

// Not a coroutine: most pieces need no permit.
Task<MaybeProblem> Messages::take(std::string_view bytes) {
  auto times = count_.in(bytes);
  if (first_ && times > 0) {
    first_ = false;
    --times;
  }
  return take(times);
}

Task<MaybeProblem> Messages::take(std::uint32_t times) {
  if (times == 0) co_return MaybeProblem{};
  auto here = asked(Source::memory, times);
  if (!here.checks.empty()) {
    auto problem = decide_here(here, times);
    if (problem) co_return problem;
  }
  auto there = asked(Source::redis, times);
  if (there.checks.empty()) co_return MaybeProblem{};
  auto call = x_.snapshot->redis->decide(there.checks, there.decisions);
  const auto agreed = co_await call;
  auto problem = agreed.has_error() ? without_redis(times) : conclude(there, *agreed, times);
  if (problem && !here.checks.empty()) path_.services.memory.give_back(here.checks, path_.services.clock.wall());
  co_return problem;
}

/// Of the limits that count messages, those that count there. What was counted in memory in the place of Redis when the
/// call began stays there until its end.
Messages::Asked Messages::asked(Source source, std::uint32_t times) const {
  Asked out;
  const auto& a = x_.admission;
  for (const auto& checked : a.limits) {
    if (!checked.route_limit->limit->messages || (checked.source == Source::redis) != (source == Source::redis))
      continue;
    for (std::size_t i = checked.first; i < checked.first + std::size_t{checked.count}; ++i) {
      out.checks.push_back(a.checks[i]);
      out.checks.back().cost = times;
      out.at.push_back(i);
    }
  }
  out.decisions.resize(out.checks.size());
  return out;
}

MaybeProblem Messages::decide_here(Asked& asked, std::uint32_t times) {
  const bool agreed = path_.services.memory.decide(asked.checks, path_.services.clock.wall(), asked.decisions);
  return conclude(asked, agreed, times);
}

/// `if_redis_down` of each limit decides.
MaybeProblem Messages::without_redis(std::uint32_t times) {
  Asked local;
  local.local = true;
  const auto& a = x_.admission;
  for (const auto& checked : a.limits) {
    const auto& limit = *checked.route_limit->limit;
    if (!limit.messages || checked.source != Source::redis) continue;
    if (limit.if_redis_down == limit::IfRedisDown::reject && limit.mode == limit::Mode::enforce)
      return uncountable(limit);
    if (limit.if_redis_down != limit::IfRedisDown::count_locally) continue;
    for (std::size_t i = 0; i < checked.count; ++i) {
      auto check = a.checks[checked.first + i];
      if (checked.shard != 0) check.key = without_shard(check.key);
      check.rule = &checked.tier->local[i];
      check.hash = keyed_hash(check.key, check.rule->seed);
      check.cost = times;
      local.checks.push_back(check);
      local.at.push_back(checked.first + i);
    }
  }
  local.decisions.resize(local.checks.size());
  return local.checks.empty() ? MaybeProblem{} : decide_here(local, times);
}

MaybeProblem Messages::conclude(const Asked& asked, bool agreed, std::uint32_t times) {
  auto& a = x_.admission;
  for (std::size_t k = 0; k < asked.at.size(); ++k) a.decisions[asked.at[k]] = asked.decisions[k];
  for (auto& checked : a.limits) {
    const auto first = std::find(asked.at.begin(), asked.at.end(), checked.first);
    if (first == asked.at.end()) continue;
    const auto k = static_cast<std::size_t>(first - asked.at.begin());
    const auto decided = std::span(asked.decisions).subspan(k, checked.count);
    if (std::any_of(decided.begin(), decided.end(), [](const auto& each) { return !each.allowed; })) {
      checked.decision = LimitDecision::rejected;
      checked.refused += times;
      continue;
    }
    if (!agreed) continue;
    checked.used += times;
    if (asked.local || checked.source == Source::fallback)
      for (std::size_t i = 0; i < checked.count; ++i) path_.outage->counted(x_, checked, i, asked.checks[k + i]);
  }
  if (agreed) return {};
  a.outcome = Admission::Outcome::rejected;
  a.late = true;
  a.bind(0);
  MaybeProblem problem;
  tell_rejection(x_, problem);
  if (problem->until_wait == nullptr) problem->detail = "So many messages at once are never allowed here.";
  return problem;
}

}  // namespace headgate::gateway
