#pragma once
// How many connections, and how many new ones a second, each client address may have: one table for all workers.

#include "headgate/core/hash.hpp"
#include "headgate/gateway/options.hpp"

#include <boost/asio/ip/address.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace headgate::gateway {

/// Thread-safe; each call takes one of 16 locks, and none if no address is bounded. Its memory is bounded: an address
/// without a connection is remembered only while that changes an answer, and at most kRemembered of them.
class ConnectionBounds {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kRemembered = 65'536;

  /// Why a connection is refused.
  enum class Why : std::uint8_t {
    none,
    total,    ///< Bounds::connections
    address,  ///< Bounds::connections_per_address
    rate,     ///< Bounds::connection_rate
    memory    ///< Bounds::buffered: a request was refused, and its connection closed
  };
  static constexpr std::size_t kReasons = 5;

  /// The place of one connection, until it is destroyed. Must not outlive the bounds.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept : bounds_(std::exchange(other.bounds_, nullptr)), key_(other.key_) {}
    Place& operator=(Place&& other) noexcept {
      leave();
      bounds_ = std::exchange(other.bounds_, nullptr);
      key_ = other.key_;
      return *this;
    }
    ~Place() { leave(); }
    void leave() noexcept {
      if (bounds_) std::exchange(bounds_, nullptr)->leave(key_);
    }

   private:
    friend class ConnectionBounds;
    Place(ConnectionBounds& bounds, std::uint64_t key) noexcept : bounds_(&bounds), key_(key) {}
    ConnectionBounds* bounds_ = nullptr;
    std::uint64_t key_ = 0;
  };

  ConnectionBounds();
  ~ConnectionBounds();

  /// A place for a connection from this address, or why there is none. Counts what is refused.
  std::pair<Place, Why> admit(const Bounds& bounds, const boost::asio::ip::address& address, Moment now);
  /// Counts a refusal, and logs at most one a second.
  void refused(Why why, const boost::asio::ip::address& address, Moment now);
  /// Since the start. Any thread.
  std::uint64_t count(Why why) const noexcept {
    return counts_[static_cast<std::size_t>(why)].load(std::memory_order_relaxed);
  }

 private:
  struct Entry {
    std::uint32_t open = 0;
    Moment full_at{};                         ///< when all new connections that may come at once may come again
    std::list<std::uint64_t>::iterator idle;  ///< in `idle`, while open is 0
  };
  struct Stripe {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, Entry> entries;
    std::list<std::uint64_t> idle;  ///< addresses without a connection, the longest so first
  };
  static constexpr std::size_t kStripes = 16;

  void leave(std::uint64_t key) noexcept;
  Stripe& stripe_of(std::uint64_t key) noexcept { return stripes_[key % kStripes]; }
  static void forget(Stripe& stripe, Moment now);

  std::array<Stripe, kStripes> stripes_;
  std::array<std::atomic<std::uint64_t>, kReasons> counts_{};
  std::mutex log_mutex_;
  Moment logged_{};
  std::uint64_t left_out_ = 0;
};

std::string_view to_text(ConnectionBounds::Why why) noexcept;  ///< "address"

}  // namespace headgate::gateway
