#pragma once
// A named group of servers, as the path sees it: it starts attempts.

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

/// In the place of a status: the attempt has no answer.
inline constexpr unsigned kNoAnswer = 0;

/// The places at servers that may be chosen, where each of them has only so many.
struct PlaceUse {
  std::uint32_t taken = 0;
  std::uint32_t most = 0;  ///< 0: a server may have any number
};

/// Worker thread only. Lives longer than its attempts.
class Upstream {
 public:
  virtual ~Upstream() = default;
  /// Its name in the configuration.
  virtual const std::string& name() const noexcept = 0;

  /// An attempt on an idle connection to the server that the upstream's policy chooses; null if it has none. Servers in
  /// `choice.tried` are chosen only if no other is left: then all of them may be tried again.
  virtual AttemptPtr take_idle(balance::Choice& choice) noexcept = 0;
  /// The same on a new connection. A server that cannot be reached is added to `choice.tried`, and another one is
  /// tried. The failure is that of the last one. `choice` lives until the task is done. Neither function adds the
  /// server of the attempt that it returns: who makes another attempt elsewhere adds Attempt::at().
  virtual Task<Result<AttemptPtr, Failure>> connect(balance::Choice& choice) = 0;
  /// Chooses a server and takes a place at it, where the servers have only so many: then the next attempt with
  /// `choice` is with this server. False: no server that may be chosen has a free place. An upstream without such
  /// bounds has nothing to take. An attempt gives its place back when it ends.
  virtual bool reserve(balance::Choice&) { return true; }
  /// How many of them are taken now, by all workers. Approximate: others take and leave places meanwhile.
  virtual PlaceUse place_use() const { return {}; }
  /// In about how much time the servers end this many of their attempts; 0: nothing is known.
  virtual Duration time_for(std::size_t /*attempts*/) const { return Duration(0); }
  /// A name leads elsewhere. Servers of this name get new connections there, and idle ones to elsewhere are closed.
  virtual void use(const NamedAddresses&) {}
  /// An operator took this server down (balance::kDown is set): ends the attempts and closes the connections there, as
  /// if each were lost.
  virtual void take_down(std::string_view /*server*/) {}
  /// Gives back an attempt of this upstream after its exchange: the request was sent and the answer was read to its
  /// end. Keeps the connection for the next exchange if possible.
  virtual void give_back(AttemptPtr attempt) = 0;
  /// Notes what became of an attempt of this upstream, once: when the final head of the answer is there, or when it
  /// failed; and again if the answer breaks off after its head, or its trailers
  /// say that the server failed. Not for what the client caused. `took` is the latency
  /// of the head; negative if it says nothing about the server. What is noted decides whether the server gets requests.
  virtual void note(Attempt& attempt, balance::AttemptOutcome outcome, Duration took) noexcept {
    static_cast<void>(attempt), static_cast<void>(outcome), static_cast<void>(took);
  }
  /// Counts an attempt at server `at` for the metrics: with the status of its final head and the time to it, or
  /// kNoAnswer. Once for each attempt that says something about its server.
  virtual void count(std::size_t at, unsigned status, Duration took) noexcept {
    static_cast<void>(at), static_cast<void>(status), static_cast<void>(took);
  }
  /// The circuit breaker of the upstream, for this worker; null if it has none. Lives as long as the upstream.
  virtual balance::CircuitDoor* circuit() noexcept { return nullptr; }
  /// The requests of this worker at the upstream; null if its options do not ask for them to be counted. Kept as long
  /// as the upstream, over reloads.
  virtual shed::Concurrency* concurrency() noexcept { return nullptr; }
  /// What all workers know of its overload; null if nobody shares anything. Kept as long as the upstream, over reloads.
  virtual shed::Overload* overload() noexcept { return nullptr; }
  /// Closes idle connections and fails connect() calls under way. Connections of attempts are closed when they are
  /// given back.
  virtual void stop() = 0;
};

}  // namespace headgate::upstream
