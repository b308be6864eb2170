#pragma once
// The number of concurrent exchanges with a server that has a bound. All workers of a process share it, so the bound is
// exact. Used by upstream and gateway.

#include "headgate/core/time.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace headgate::balance {

/// The places at one server. Any thread.
class Places {
 public:
  /// `most` is at least 1.
  explicit Places(std::uint32_t most) noexcept : most_(most) {}
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;

  /// Takes a place if one is free.
  bool take() noexcept;
  /// Gives a place back; `held` is the time for which it was taken.
  void leave(Duration held) noexcept;
  bool full() const noexcept { return taken() >= most(); }
  std::uint32_t taken() const noexcept { return taken_.load(std::memory_order_seq_cst); }
  std::uint32_t most() const noexcept { return most_.load(std::memory_order_relaxed); }
  /// Changes the number of places after a reload. Taken places stay taken.
  void most(std::uint32_t now) noexcept { most_.store(now, std::memory_order_relaxed); }
  /// Returns for how long a place is usually taken; 0 before the first place was given back. Approximate, because two
  /// workers may write at once.
  Duration usual() const noexcept { return Duration(usual_.load(std::memory_order_relaxed)); }

 private:
  std::atomic<std::uint32_t> taken_{0};
  std::atomic<std::uint32_t> most_;
  std::atomic<Duration::rep> usual_{0};
};

/// A taken place, which is given back on destruction. Must not outlive its Places. One thread at a time.
class Place {
 public:
  Place() = default;
  /// Owns a place at the server with this index that was taken at `since`.
  Place(Places& from, std::size_t server, Duration since) noexcept : from_(&from), server_(server), since_(since) {}
  Place(Place&& other) noexcept
      : from_(std::exchange(other.from_, nullptr)), server_(other.server_), since_(other.since_) {}
  Place& operator=(Place&& other) noexcept {
    std::swap(from_, other.from_);
    std::swap(server_, other.server_);
    std::swap(since_, other.since_);
    return *this;
  }
  bool operator==(const Place&) const = default;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() {
    if (from_ != nullptr) from_->leave(Duration(0));
  }

  bool held() const noexcept { return from_ != nullptr; }
  std::size_t server() const noexcept { return server_; }
  /// Gives the place back at `now`, on the clock of `since`, so that it counts in Places::usual().
  void leave(Duration now) noexcept {
    if (auto* const from = std::exchange(from_, nullptr)) from->leave(now - since_);
  }

 private:
  Places* from_ = nullptr;
  std::size_t server_ = 0;
  Duration since_{0};
};

}  // namespace headgate::balance
