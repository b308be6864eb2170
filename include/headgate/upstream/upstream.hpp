#pragma once
// A named group of servers as the request path sees it: an object that starts attempts. Used by gateway and engine.

#include "headgate/balance/choice.hpp"
#include "headgate/balance/circuit_gate.hpp"
#include "headgate/balance/outcome.hpp"
#include "headgate/shed/concurrency.hpp"
#include "headgate/shed/overload.hpp"
#include "headgate/upstream/addresses.hpp"
#include "headgate/upstream/attempt.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace headgate::upstream {

/// The status that is counted for an attempt without an answer.
inline constexpr unsigned kNoAnswer = 0;

/// Places taken and available at the servers that may be chosen, if the servers have bounds.
struct PlaceUse {
  std::uint32_t taken = 0;
  std::uint32_t most = 0;  ///< total number of places; 0 if a server has no bound
};

/// A named group of servers. Worker thread only. Lives longer than its attempts.
class Upstream {
 public:
  virtual ~Upstream() = default;
  /// Returns the name in the configuration.
  virtual const std::string& name() const noexcept = 0;

  /// Returns an attempt on an idle connection to the server that the policy chooses; null if that server has none.
  /// Servers in `choice.tried` are chosen only if no other is left, and then all of them may be tried again.
  virtual AttemptPtr take_idle(balance::Choice& choice) noexcept = 0;
  /// Returns an attempt on a new connection. A server that cannot be reached is added to `choice.tried` and another one
  /// is tried; a failure is that of the last server. `choice` must live until the task is done. Neither this function
  /// nor take_idle() adds the server of the attempt that it returns; to make a further attempt at another server, add
  /// Attempt::at() to `choice.tried`.
  virtual Task<Result<AttemptPtr, Failure>> connect(balance::Choice& choice) = 0;
  /// Chooses a server and takes a place at it, if the servers have bounds; the next attempt with `choice` then uses
  /// this server. Returns false if no available server has a free place. Does nothing for an upstream without bounds.
  /// An attempt gives its place back when it ends.
  virtual bool reserve(balance::Choice&) { return true; }
  /// Returns how many places are taken now by all workers. Approximate, because other workers take and return places
  /// meanwhile.
  virtual PlaceUse place_use() const { return {}; }
  /// Returns about how long it takes until this many attempts have ended; 0 if unknown.
  virtual Duration time_for(std::size_t /*attempts*/) const { return Duration(0); }
  /// Sets the new addresses of a server's name. New connections use them, and idle connections to other addresses are
  /// closed.
  virtual void use(const NamedAddresses&) {}
  /// Ends the attempts and closes the connections of a server as if each connection were lost, because an operator took
  /// the server down (balance::kDown is set).
  virtual void take_down(std::string_view /*server*/) {}
  /// Takes back an attempt after its exchange: the request was sent and the answer was read to its end. Keeps the
  /// connection for the next exchange if possible.
  virtual void give_back(AttemptPtr attempt) = 0;
  /// Records the outcome of an attempt of this upstream once: when the final head of the answer has arrived, or when
  /// the attempt failed. Call it again if the answer breaks off after its head, or if its trailers report that the
  /// server failed. Do not call it for failures that the client caused. `took` is the time until the head; negative if
  /// it says nothing about the server. Recorded outcomes decide whether the server gets requests.
  virtual void note(Attempt& attempt, balance::AttemptOutcome outcome, Duration took) noexcept {
    static_cast<void>(attempt), static_cast<void>(outcome), static_cast<void>(took);
  }
  /// Counts an attempt at the server with the index `at` for the metrics, with its final status and the time until the
  /// head, or with kNoAnswer. Call it once for each attempt that says something about its server.
  virtual void count(std::size_t at, unsigned status, Duration took) noexcept {
    static_cast<void>(at), static_cast<void>(status), static_cast<void>(took);
  }
  /// Returns the circuit breaker of the upstream for this worker; null if there is none. Lives as long as the upstream.
  virtual balance::CircuitDoor* circuit() noexcept { return nullptr; }
  /// Returns the counter of this worker's requests at the upstream; null if its options ask for none. Kept as long as
  /// the upstream, over reloads.
  virtual shed::Concurrency* concurrency() noexcept { return nullptr; }
  /// Returns the overload state that all workers share; null if there is none. Kept as long as the upstream, over
  /// reloads.
  virtual shed::Overload* overload() noexcept { return nullptr; }
  /// Closes idle connections and fails connect() calls under way. The connections of attempts are closed when they are
  /// given back.
  virtual void stop() = 0;
};

}  // namespace headgate::upstream
