#pragma once
// The open reservations of a process. A reservation is a decision whose costs a second call settles. Used by gateway
// and server.

#include "headgate/core/clock.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::gateway {

/// The content of a call that settles a reservation.
struct Settlement {
  std::string reservation;  ///< the id of the reservation
  bool cancel = false;      ///< whether everything is given back
  /// the cost by limit, from 0 to kMaxRequests; each limit once, none if `cancel` is set
  std::vector<std::pair<std::string, std::int64_t>> used;

  bool operator==(const Settlement&) const = default;
};

class SettleInbox;

/// A settlement on its way to the worker of its reservation, and back to the worker that waits.
struct SettleCall {
  Settlement said;
  std::shared_ptr<SettleInbox> from;  ///< the inbox of the worker that waits
  std::uint64_t waiter = 0;           ///< the number of the exchange that waits there
  bool done = false;                  ///< whether the reservation has been settled
};

/// The settlements that other workers, and this worker itself, have left for one worker.
class SettleInbox {
 public:
  /// Call the constructor on the worker's thread. `ring(owner)` is called on the worker's loop when a call has arrived.
  SettleInbox(Clock& clock, Alarm::Ring ring, void* owner) : bell_(clock.bell(ring, owner)) {}

  /// Adds a call. Any thread. Does nothing after close().
  void put(std::shared_ptr<SettleCall> call);
  /// Returns the calls and empties the inbox. Worker thread.
  std::vector<std::shared_ptr<SettleCall>> take();
  /// Stops the calls of `ring`, and returns the calls that are left. Worker thread, or after its loop has ended.
  std::vector<std::shared_ptr<SettleCall>> close();

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<SettleCall>> calls_;
  std::unique_ptr<Bell> bell_;  // null after close()
};

/// The ids of the open reservations, each with its owner and the worker that keeps it. One for each process; any
/// thread; each function takes a short lock.
///
/// The places are shared out: an owner may have as many open reservations as there are free places. So one owner can
/// fill at most half of the places, and others always find one.
class ReservationBook {
 public:
  static constexpr std::size_t kMaxOpen = 10'000;

  explicit ReservationBook(std::size_t most = kMaxOpen);

  /// Returns the id of a new reservation; nothing if the owner has no place left. `limits` are the names of the limits
  /// whose costs the caller tells.
  std::optional<std::string> open(std::string_view owner, std::vector<std::string> limits,
                                  std::shared_ptr<SettleInbox> worker);

  /// The result of claim().
  struct Claimed {
    enum class Kind : std::uint8_t {
      taken,         ///< the call is in the inbox of the reservation's worker
      unknown,       ///< there is no such reservation, or it has ended
      elsewhere,     ///< another process has made the reservation
      unknown_limit  ///< the reservation does not have the limit `limit`
    };
    Kind kind = Kind::unknown;
    std::string limit{};
    std::vector<std::string> limits{};  ///< the limits of the reservation, if `limit` is not one of them
  };
  /// Takes the reservation of the call out of the book, and leaves the call for its worker. Only the first call for a
  /// reservation takes it out. Any other result changes nothing.
  Claimed claim(const std::shared_ptr<SettleCall>& call);
  /// Takes a reservation out of the book. Returns false if a call has done so, which is then in the worker's inbox.
  bool close(std::string_view id);

  struct Counts {
    std::size_t open = 0;
    std::string owner{};        ///< the owner with the most open reservations; empty if there is none
    std::size_t of_owner = 0;   ///< number of its reservations
    std::uint64_t refused = 0;  ///< number of reservations that found no place since the start
  };
  Counts counts() const;
  std::size_t most() const noexcept { return most_; }

 private:
  struct Entry {
    std::string owner;
    std::vector<std::string> limits;
    std::shared_ptr<SettleInbox> worker;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;
  void erase(Entries::iterator entry);

  const std::size_t most_;
  const std::string instance_;  // the beginning of all ids of this process
  mutable std::mutex mutex_;
  Entries entries_;                                         // under the mutex, as all below
  std::map<std::string, std::size_t, std::less<>> owners_;  // number of open reservations
  std::uint64_t refused_ = 0;
};

}  // namespace headgate::gateway
