#pragma once
// An in-memory replacement for Redis: decides like Redis for a single gateway, and answers unless it is made
// unavailable. Used by Offline.

#include "headgate/core/clock.hpp"
#include "headgate/limit/limiter.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/room/memory_rooms.hpp"
#include "headgate/room/room.hpp"

#include <boost/unordered/unordered_flat_set.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace headgate::engine {

/// The replacement. Its counters and rooms are separate from those of the process. One thread. Answers at once, without
/// a task. While it is unavailable, it returns the error that a gateway gets once it knows of the outage.
class RedisInMemory final : public limit::RemoteLimiter, public room::RemoteRooms {
 public:
  RedisInMemory(Clock& clock, std::size_t max_keys) : clock_(clock), max_keys_(max_keys) {}

  Task<Result<bool>> decide(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) override;
  std::optional<bool> decide_here(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) override;
  bool settle(std::span<const limit::Check> checks, std::span<const Duration> held_for) override;
  using RemoteLimiter::settle;
  Task<error_code> charge(const limit::Check& owed, std::string_view token) override;
  std::chrono::steady_clock::time_point recovering_until() const noexcept override { return recovering_until_; }
  bool up() const noexcept override { return !down_since_; }

  /// Makes this Redis unavailable. Its counts are kept.
  void go_down();
  /// Makes this Redis available again. Other gateways come back as late as redis::SharedLimiter::recovering_until says.
  void come_back();

  Task<Result<room::Answer>> ask(const room::RoomRule& rule, const room::Question& question) override;

 private:
  limit::MemoryStore& store();
  void change(limit::Check check);
  /// Returns whether the call changes the holders. A permit of a request in flight is held under its token, so taking,
  /// renewing or giving it back twice has the same effect as once.
  bool changes_holder(const limit::Check& check);

  Clock& clock_;
  const std::size_t max_keys_;
  // the counters, created at the first count, because most policies have no Redis
  std::optional<limit::MemoryStore> store_;
  room::MemoryRooms rooms_;
  boost::unordered_flat_set<std::uint64_t> holders_;
  std::optional<Clock::Steady> down_since_;
  Clock::Steady recovering_until_{};
};

}  // namespace headgate::engine
