#pragma once
// Bounds on the number of connections of each client address and on its rate of new connections. All workers share one
// table; Sessions uses it.

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

/// The connections of each address. Thread-safe: each call takes one of 16 locks. Memory is bounded: an address without
/// a connection is remembered only until its full burst of new connections is available again. At most kRemembered such
/// addresses are remembered.
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
    memory,   ///< Bounds::buffered: a request was refused and its connection closed
    count
  };

  /// The place of one connection, held until this object is destroyed. The ConnectionBounds must outlive the place.
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
    /// Returns the number that stands for the address of the connection, or 0 if it has no place.
    std::uint64_t key() const noexcept { return bounds_ ? key_ : 0; }

   private:
    friend class ConnectionBounds;
    Place(ConnectionBounds& bounds, std::uint64_t key) noexcept : bounds_(&bounds), key_(key) {}
    ConnectionBounds* bounds_ = nullptr;
    std::uint64_t key_ = 0;
  };

  ConnectionBounds();
  ~ConnectionBounds();

  /// Returns a place for a connection from `address`, or the reason why it is refused. Counts the refusal.
  std::pair<Place, Why> admit(const Bounds& bounds, const boost::asio::ip::address& address, Moment now);
  /// Counts a refusal, and logs at most one per second.
  void refused(Why why, const boost::asio::ip::address& address, Moment now);

  /// An address with its open connections.
  struct Heavy {
    std::uint64_t key = 0;  ///< the address, or kUnplaced for all connections without a place
    std::uint32_t open = 0;
    boost::asio::ip::address address;  ///< address of the first of these connections
  };
  /// Returns the addresses with the most connections, the heaviest first; at most `most` of them.
  std::vector<Heavy> heaviest(std::size_t most) const;
  /// The key of the row for all connections without a place: those of trusted proxies and of exempt addresses.
  static constexpr std::uint64_t kUnplaced = 0;
  /// Returns the number of connections with a place.
  std::uint32_t placed() const noexcept { return placed_.load(std::memory_order_relaxed); }
  /// Returns the number of connections of the address with this key.
  std::uint32_t open(std::uint64_t key) const noexcept;
  /// Counts a connection of `whose` that was ended to make room for a new one. Logs at most one such connection per
  /// second. `of` is the bound that was reached.
  void gave_way(const Heavy& whose, std::uint32_t of, Moment now);
  /// Returns the number of connections that were ended to make room. Any thread.
  std::uint64_t gave_way() const noexcept { return gave_way_.load(std::memory_order_relaxed); }
  /// Returns the number of refusals for this reason since startup. Any thread.
  std::uint64_t count(Why why) const noexcept {
    return counts_[static_cast<std::size_t>(why)].load(std::memory_order_relaxed);
  }

 private:
  using Keys = std::list<std::uint64_t>;
  struct Entry {
    std::uint32_t open = 0;
    Moment full_at{};   ///< time at which the full burst of new connections is available again
    Keys::iterator at;  ///< position in `idle`, or in the list of addresses with the same number of connections
    boost::asio::ip::address address;
  };
  struct Stripe {
    mutable std::mutex mutex;
    std::unordered_map<std::uint64_t, Entry> entries;
    Keys idle;  ///< addresses without a connection, idle longest first
    /// addresses with connections, by their number of connections
    std::map<std::uint32_t, Keys, std::greater<>> by_number;
  };
  /// Lets one event through per second.
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
