#include "headgate/engine/redis_in_memory.hpp"

namespace headgate::engine {
namespace {

using limit::Check;
using limit::Decision;

std::uint64_t holder_of(const Check& check) noexcept { return keyed_digest(check.token, check.hash); }

}  // namespace

Task<Result<bool>> RedisInMemory::decide(std::span<const Check> checks, std::span<Decision> decisions) {
  const bool agreed = *decide_here(checks, decisions);
  co_return Result<bool>(agreed);
}

std::optional<bool> RedisInMemory::decide_here(std::span<const Check> checks, std::span<Decision> decisions) {
  const bool agreed = store_.decide(checks, clock_.wall(), decisions);
  if (!agreed || limit::is_peek(checks)) return agreed;
  for (std::size_t i = 0; i < checks.size(); ++i)
    if (!checks[i].token.empty() && decisions[i].allowed) holders_.insert(holder_of(checks[i]));
  return agreed;
}

bool RedisInMemory::settle(std::span<const Check> checks) {
  for (const auto& check : checks) change(check);
  return true;
}

Task<error_code> RedisInMemory::charge(const Check& owed, std::string_view /*token*/) {
  auto check = owed;
  check.hash = keyed_hash(check.key, check.rule->seed);
  change(check);
  co_return error_code();
}

Task<Result<room::Answer>> RedisInMemory::ask(const room::RoomRule& rule, const room::Question& question) {
  co_return rooms_.ask(rule, question, clock_.wall());
}

void RedisInMemory::change(Check check) {
  if (!check.token.empty() && !changes_holder(check)) return;
  Decision ignored;
  store_.decide({&check, 1}, clock_.wall(), {&ignored, 1});
}

bool RedisInMemory::changes_holder(const Check& check) {
  const auto holder = holder_of(check);
  return check.cost > 0 ? holders_.insert(holder).second : holders_.erase(holder) > 0;
}

}  // namespace headgate::engine
