#pragma once
// The base class of attempts in every protocol, with the counters that a group keeps for its servers. Used by the
// diallers.

#include "headgate/balance/places.hpp"
#include "headgate/balance/table.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/upstream/attempt.hpp"

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <cstddef>
#include <utility>

namespace headgate::upstream {

class Dialler;

/// An attempt that counts itself. Worker thread only. Its dialler, the row and the clock outlive it.
class CountedAttempt : public Attempt {
 public:
  CountedAttempt(Dialler& dialler, balance::Server& row, const Clock& clock) noexcept
      : dialler_(dialler), row_(row), clock_(clock) {}
  ~CountedAttempt() override { take_back(); }

  std::size_t at() const noexcept override { return at_; }
  Dialler& dialler() noexcept { return dialler_; }
  balance::Server& row() noexcept { return row_; }

  /// Counts the attempt as in flight at its server, because an exchange uses the attempt from now on. `at` is the index
  /// of the server.
  void lend(std::size_t at) noexcept;
  /// Ends the use by an exchange: the attempt no longer counts as in flight, and its place at the server is free again.
  void take_back() noexcept;
  /// Marks the attempt as the trial of a server that is ejected.
  void try_server() noexcept { counted_.trial = true; }
  /// Holds the exchange's place at the server until the attempt is taken back.
  void keep(balance::Place&& place) noexcept {
    if (place.held()) place_ = std::move(place);
  }
  /// Records the outcome of the exchange.
  void note(balance::AttemptOutcome outcome, Duration took) noexcept { row_.tally.note(counted_, outcome, took); }

 protected:
  /// Records that the whole request was sent.
  void note_sent() noexcept { row_.tally.ask(counted_); }
  const Clock& clock() const noexcept { return clock_; }

 private:
  Dialler& dialler_;
  balance::Server& row_;
  const Clock& clock_;
  std::size_t at_ = 0;
  balance::AttemptTally counted_;
  balance::Place place_;
  bool lent_ = false;
};

using CountedAttemptPtr = boost::intrusive_ptr<CountedAttempt>;

}  // namespace headgate::upstream
