#pragma once
// How many connections each client address has and may have, and how many new ones a second: one table for all workers.

#include "headgate/core/hash.hpp"
#include "headgate/core/per_enum.hpp"
#include "headgate/session/options.hpp"

#include <boost/asio/ip/address.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headgate::session {

/// Thread-safe; each call takes one of 16 locks. Its memory is bounded: an address without a connection is remembered
/// only while that changes an answer, and at most kRemembered of them.
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
    memory,   ///< Bounds::buffered: a request was refused, and its connection closed
    count
  };

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
    /// Names its address among those of these bounds; 0: it has no place.
    std::uint64_t key() const noexcept { return bounds_ ? key_ : 0; }

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

  /// An address that has connections.
  struct Heavy {
    std::uint64_t key = 0;  ///< kUnplaced: of many addresses
    std::uint32_t open = 0;
    boost::asio::ip::address address;  ///< of the first of them
  };
  /// Those with the most, the heaviest first; at most `most`.
  std::vector<Heavy> heaviest(std::size_t most) const;
  /// The same row for all that have no place, trusted proxies and exempt addresses, of which there are so many.
  static constexpr std::uint64_t kUnplaced = 0;
  /// How many connections have a place.
  std::uint32_t placed() const noexcept { return placed_.load(std::memory_order_relaxed); }
  /// How many connections this address has.
  std::uint32_t open(std::uint64_t key) const noexcept;
  /// Counts a connection of `whose` that was ended for a new one, and logs at most one a second.
  void gave_way(const Heavy& whose, std::uint32_t of, Moment now);
  /// How many were. Any thread.
  std::uint64_t gave_way() const noexcept { return gave_way_.load(std::memory_order_relaxed); }
  /// Since the start. Any thread.
  std::uint64_t count(Why why) const noexcept {
    return counts_[static_cast<std::size_t>(why)].load(std::memory_order_relaxed);
  }

 private:
  using Keys = std::list<std::uint64_t>;
  struct Entry {
    std::uint32_t open = 0;
    Moment full_at{};   ///< when all new connections that may come at once may come again
    Keys::iterator at;  ///< in the list of those that have as many
    boost::asio::ip::address address;
  };
  struct Stripe {
    mutable std::mutex mutex;
    std::unordered_map<std::uint64_t, Entry> entries;
    Keys idle;                                                ///< addresses without a connection, the longest so first
    std::map<std::uint32_t, Keys, std::greater<>> by_number;  ///< the others, by how many they have
  };
  /// Lets one event through in a second.
  struct Gate {
    bool passes(Moment now, std::uint64_t& left_out_before);
    std::mutex mutex;
    Moment last{};
    std::uint64_t left_out = 0;
  };
  static constexpr std::size_t kStripes = 16;

  void leave(std::uint64_t key) noexcept;
  Stripe& stripe_of(std::uint64_t key) noexcept { return stripes_[key % kStripes]; }
  static void set_open(Stripe& stripe, Entry& entry, std::uint32_t open);
  static void forget(Stripe& stripe, Moment now);

  std::array<Stripe, kStripes> stripes_;
  std::array<std::atomic<std::uint64_t>, kCountOf<Why>> counts_{};
  std::atomic<std::uint32_t> placed_{0};
  std::atomic<std::uint64_t> gave_way_{0};
  Gate refusals_;
  Gate ways_given_;
};

std::string_view to_text(ConnectionBounds::Why why) noexcept;  ///< "address"

}  // namespace headgate::session
