#pragma once
// One worker's sketches of the keys that each limit rejects and allows most.

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

/// The keys of one limit that one worker saw since the last take. Only that worker's thread uses it, also to take the
/// sketches, so counting needs no lock and no atomic instruction.
class LimitTop {
 public:
  /// One in kSampled allowed requests is counted, as kSampled requests. The request is chosen at random, so that no
  /// pattern of arrivals hides a key. A key with n requests is reported as n, with an error below about 5 times the
  /// square root of n (in 19 of 20 cases).
  static constexpr std::uint32_t kSampled = 8;

  explicit LimitTop(std::uint64_t seed) noexcept : random_(seed | 1U) {}

  /// Counts a rejection. For `hash` see HeavyKeys::add().
  void rejected(std::uint64_t hash, std::string_view key) { count(rejected_, hash, key, 1); }
  void allowed(std::uint64_t hash, std::string_view key) {
    // The generator is Knuth's, and its upper bits are the most random ones.
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    if (random_ >> 61U == 0) count(allowed_, hash, key, kSampled);
  }

  /// Returns the rejections counted since the last call; null if there are none.
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

/// The sketches of one limit that one worker hands over; null if nothing was counted.
struct LimitSketches {
  std::string limit;
  std::unique_ptr<HeavyKeys> rejected;
  std::unique_ptr<HeavyKeys> allowed;
};

/// All sketches of one worker, by limit. They live as long as this object, also across reloads. Used only by that
/// worker's thread, or before it starts.
class WorkerTops {
 public:
  explicit WorkerTops(std::uint64_t seed) noexcept : seed_(seed) {}
  /// Returns the sketches of a limit; the same name returns the same object.
  LimitTop& of(std::string_view limit);
  /// Hands over everything counted since the last call.
  std::vector<LimitSketches> take();

 private:
  std::uint64_t seed_;
  std::map<std::string, LimitTop, std::less<>> tops_;
};

}  // namespace headgate::observe
