#pragma once
// The number of gateways that share the limits, and each gateway's share while Redis is down.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace headgate::gateway {

/// The number of gateways that are known to run. One object for each process; any thread.
class FleetSize {
 public:
  /// Maximum of the stored number; a larger number is stored as this one.
  static constexpr std::uint32_t kMax = 1024;

  void seen(std::uint32_t gateways) noexcept { seen_.store(std::min(gateways, kMax), std::memory_order_relaxed); }
  /// Returns 0 if the number is not known.
  std::uint32_t seen() const noexcept { return seen_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint32_t> seen_{0};
};

/// The number of gateways that limits are shared between: as many as were seen, but at least as many as are configured.
/// Any thread.
class Sharers {
 public:
  Sharers(std::uint32_t least = 1, std::shared_ptr<const FleetSize> fleet = nullptr)  // NOLINT: a number is enough
      : least_(std::max(least, 1U)), fleet_(std::move(fleet)) {}
  std::uint32_t count() const noexcept { return std::max(least_, fleet_ ? fleet_->seen() : 1U); }

 private:
  std::uint32_t least_;
  std::shared_ptr<const FleetSize> fleet_;
};

/// One object for each number of gateways that has occurred. An object is made when its number first occurs, and is
/// kept, so that a request can use the same object from its beginning to its end. Any thread.
template <class Made>
class ForSharers {
 public:
  using Make = std::function<Made(std::uint32_t gateways)>;

  ForSharers(Sharers sharers, Make make) : sharers_(std::move(sharers)), make_(std::move(make)) {}
  ForSharers(const ForSharers&) = delete;
  ForSharers& operator=(const ForSharers&) = delete;

  /// Returns the object for the current number of gateways. Valid until this ForSharers is destroyed.
  const Made& current() const {
    const auto gateways = sharers_.count();
    const auto* const last = last_.load(std::memory_order_acquire);
    if (last != nullptr && last->first == gateways) return last->second;
    const std::lock_guard lock(mutex_);
    auto found = std::find_if(made_.begin(), made_.end(), [&](const auto& each) { return each.first == gateways; });
    if (found == made_.end()) found = made_.emplace(made_.end(), gateways, make_(gateways));
    last_.store(&*found, std::memory_order_release);
    return found->second;
  }

 private:
  using Entry = std::pair<const std::uint32_t, Made>;

  const Sharers sharers_;
  const Make make_;
  mutable std::mutex mutex_;
  mutable std::list<Entry> made_;
  mutable std::atomic<const Entry*> last_{nullptr};
};

}  // namespace headgate::gateway
