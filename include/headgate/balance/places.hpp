#pragma once
// How many exchanges are under way with one server that may have only so many at the same time. All workers of a
// process share it, so the bound is exact.

#include "headgate/core/time.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace headgate::balance {

/// Any thread.
class Places {
 public:
  /// `most` is at least 1.
  explicit Places(std::uint32_t most) noexcept : most_(most) {}
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;

  /// Takes a place if one is free.
  bool take() noexcept;
  /// Gives it back; `held` is how long it was taken.
  void leave(Duration held) noexcept;
  bool full() const noexcept { return taken() >= most(); }
  std::uint32_t taken() const noexcept { return taken_.load(std::memory_order_seq_cst); }
  std::uint32_t most() const noexcept { return most_.load(std::memory_order_relaxed); }
  /// A reload changes how many there are. What is taken stays taken.
  void most(std::uint32_t now) noexcept { most_.store(now, std::memory_order_relaxed); }
  /// Returns how long a place is usually taken; 0 before the first came back. Approximate: two workers may write at
  /// once.
  Duration usual() const noexcept { return Duration(usual_.load(std::memory_order_relaxed)); }

 private:
  std::atomic<std::uint32_t> taken_{0};
  std::atomic<std::uint32_t> most_;
  std::atomic<Duration::rep> usual_{0};
};

/// One place, free again when this is destroyed. The Places outlive it. One thread at a time.
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
  /// Gives it back at `now`, on the clock of `since`, so that it counts for how long places are usually taken.
  void leave(Duration now) noexcept {
    if (auto* const from = std::exchange(from_, nullptr)) from->leave(now - since_);
  }

 private:
  Places* from_ = nullptr;
  std::size_t server_ = 0;
  Duration since_{0};
};

}  // namespace headgate::balance
