#include "headgate/engine/redis_in_memory.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>

namespace headgate::engine {
namespace {

using limit::Check;
using limit::Decision;

std::uint64_t holder_of(const Check& check) noexcept { return keyed_digest(check.token, check.hash); }

/// Equal to kLongestWayBack of the Redis client (src/redis/wire/node_client.cpp).
constexpr Clock::Steady::duration kLongestWayBack = std::chrono::seconds(2);

error_code not_there() { return make_error_code(boost::asio::error::not_connected); }

}  // namespace

limit::MemoryStore& RedisInMemory::store() {
  if (!store_) store_.emplace(limit::MemoryOptions{.max_keys = max_keys_}, limit::Threads::one);
  return *store_;
}

void RedisInMemory::go_down() {
  if (!down_since_) down_since_ = clock_.steady();
}

void RedisInMemory::come_back() {
  if (!down_since_) return;
  const auto now = clock_.steady();
  recovering_until_ = now + std::min(now - *down_since_, kLongestWayBack);
  down_since_.reset();
}

Task<Result<bool>> RedisInMemory::decide(std::span<const Check> checks, std::span<Decision> decisions) {
  const auto agreed = decide_here(checks, decisions);
  if (!agreed) co_return Result<bool>(boost::system::in_place_error, not_there());
  co_return Result<bool>(*agreed);
}

std::optional<bool> RedisInMemory::decide_here(std::span<const Check> checks, std::span<Decision> decisions) {
  if (down_since_) return {};
  const bool agreed = store().decide(checks, clock_.wall(), decisions);
  if (!agreed || limit::is_peek(checks)) return agreed;
  for (std::size_t i = 0; i < checks.size(); ++i)
    if (!checks[i].token.empty() && decisions[i].allowed) holders_.insert(holder_of(checks[i]));
  return agreed;
}

bool RedisInMemory::settle(std::span<const Check> checks, std::span<const Duration>) {
  if (down_since_) return false;
  for (const auto& check : checks) change(check);
  return true;
}

Task<error_code> RedisInMemory::charge(const Check& owed, std::string_view /*token*/) {
  if (down_since_) co_return not_there();
  auto check = owed;
  check.hash = keyed_hash(check.key, check.rule->seed);
  change(check);
  co_return error_code();
}

Task<Result<room::Answer>> RedisInMemory::ask(const room::RoomRule& rule, const room::Question& question) {
  if (down_since_) co_return Result<room::Answer>(boost::system::in_place_error, not_there());
  co_return rooms_.ask(rule, question, clock_.wall());
}

void RedisInMemory::change(Check check) {
  if (!check.token.empty() && !changes_holder(check)) return;
  Decision ignored;
  store().decide({&check, 1}, clock_.wall(), {&ignored, 1});
}

bool RedisInMemory::changes_holder(const Check& check) {
  const auto holder = holder_of(check);
  return check.cost > 0 ? holders_.insert(holder).second : holders_.erase(holder) > 0;
}

}  // namespace headgate::engine
