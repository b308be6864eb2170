#pragma once
// Who is limited: one worker's sketches of the keys that each limit rejects and allows.

#include "headgate/observe/heavy_keys.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::observe {

/// The keys of one limit that one worker saw since they were taken the last time. Only that worker's thread touches it,
/// also to hand it over: so counting needs no lock and no atomic instruction.
class LimitTop {
 public:
  /// One of so many allowed requests is counted, as so many: chosen by chance, so that no pattern of arrivals hides a
  /// key. A key with n requests is told as n, give or take about 5 roots of n (in 19 of 20 cases).
  static constexpr std::uint32_t kSampled = 8;

  explicit LimitTop(std::uint64_t seed) noexcept : random_(seed | 1U) {}

  /// `hash` as for HeavyKeys::add().
  void rejected(std::uint64_t hash, std::string_view key) { count(rejected_, hash, key, 1); }
  void allowed(std::uint64_t hash, std::string_view key) {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;  // Knuth's; its upper bits are good
    if (random_ >> 61U == 0) count(allowed_, hash, key, kSampled);
  }

  /// What was counted since the last call; null: nothing.
  std::unique_ptr<HeavyKeys> take_rejected() noexcept { return std::move(rejected_); }
  std::unique_ptr<HeavyKeys> take_allowed() noexcept { return std::move(allowed_); }

 private:
  static_assert(kSampled == 8, "the upper three bits");
  static void count(std::unique_ptr<HeavyKeys>& in, std::uint64_t hash, std::string_view key, std::uint32_t times) {
    if (!in) in = std::make_unique<HeavyKeys>();
    in->add(hash, key, times);
  }

  std::unique_ptr<HeavyKeys> rejected_;
  std::unique_ptr<HeavyKeys> allowed_;
  std::uint64_t random_;
};

/// What one worker hands over of one limit. Null: nothing was counted.
struct TakenTop {
  std::string limit;
  std::unique_ptr<HeavyKeys> rejected;
  std::unique_ptr<HeavyKeys> allowed;
};

/// All of one worker, by limit. They live as long as this, also over reloads. That worker's thread only, or before it
/// runs.
class WorkerTops {
 public:
  explicit WorkerTops(std::uint64_t seed) noexcept : seed_(seed) {}
  /// The same name gives the same one.
  LimitTop& of(std::string_view limit);
  /// Hands over what was counted since the last call.
  std::vector<TakenTop> take();

 private:
  std::uint64_t seed_;
  std::map<std::string, LimitTop, std::less<>> tops_;
};

}  // namespace headgate::observe
