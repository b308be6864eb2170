#pragma once
// What became of the attempts at a server, as one worker counts it. The watch of the upstream reads it (watch.hpp).

#include "headgate/balance/latencies.hpp"
#include "headgate/core/per_enum.hpp"
#include "headgate/core/time.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace headgate::balance {

/// What became of one attempt. An attempt that says nothing about the server has none: its client left, or a kept
/// connection was closed before the server saw the request.
enum class AttemptOutcome : std::uint8_t {
  answered,
  server_error,   ///< answered with a status that says that the server failed (is_failure)
  no_connection,  ///< it could not be connected to, or not with TLS; nothing was sent
  timeout,        ///< no head of an answer in time, or no connection in time
  broken,         ///< closed before its answer was whole, or what came is no answer
  count
};
inline constexpr std::size_t kOutcomes = kCountOf<AttemptOutcome>;

/// Returns whether an answer with this status says that the server failed: 500 and above, but neither 501 nor 505,
/// which say that the request asks for something that no such server does.
constexpr bool is_failure(unsigned status) noexcept { return status >= 500 && status != 501 && status != 505; }

/// What was counted of one attempt. Each attempt begins with its own.
struct AttemptTally {
  std::uint32_t era = 0;  ///< of its server, when the attempt began
  bool owed = false;      ///< the whole request was sent, and there is no outcome yet
  bool noted = false;     ///< it has an outcome
  bool trial = false;     ///< it tries a server that is out (Ejection)
};

/// The counters of one server on one worker. They only rise, or start again at zero after the largest number. Only that
/// worker writes them; any thread may read them. Of attempts that began before the server was taken out the last time
/// (`era`) nothing is counted: they say how it was then.
class Tally {
 public:
  using Number = std::atomic<std::uint32_t>;

  std::atomic<std::uint32_t> era{0};  ///< any thread may write it
  Number asked{0};                    ///< whole requests were sent
  Number settled{0};                  ///< of those: how many have an outcome, or were abandoned
  Number abandoned{0};                ///< of those: how many were abandoned
  std::array<Number, kOutcomes> ended{};
  Number open{0};  ///< attempts under way with it; this one also falls
  Number late{0};  ///< failed after the head of their answer; counted as answered too
  Number trials_passed{0};
  Number trials_failed{0};
  Number trials_abandoned{0};
  std::atomic<std::int64_t> trial_took{0};  ///< latency of the last trial that passed, in µs
  std::array<Number, kLatencyBuckets> latencies{};

  /// An attempt has a connection to the server. Ends with end().
  void begin(AttemptTally& counted) noexcept {
    counted = {.era = era.load(std::memory_order_relaxed)};
    add(open);
  }
  /// The whole request of this attempt was sent, so the server owes an answer.
  void ask(AttemptTally& counted) noexcept {
    if (counted.era != era.load(std::memory_order_relaxed)) return;
    counted.owed = true;
    add(asked);
  }
  /// The outcome of an attempt, when it is known: with the head of its answer, or its failure. `took` is the latency of
  /// the head; negative if it says nothing. A second call says that the answer broke off later, or that its trailers
  /// say that the server failed.
  void note(AttemptTally& counted, AttemptOutcome outcome, Duration took) noexcept;
  /// The server could not be connected to. `trial`: by an attempt that tries it.
  void fail(AttemptOutcome outcome, bool trial) noexcept {
    AttemptTally counted{.era = era.load(std::memory_order_relaxed), .trial = trial};
    note(counted, outcome, Duration(-1));
  }
  /// An attempt that tries the server got no connection, for a reason that is not the server's.
  void abandon_trial() noexcept { add(trials_abandoned); }
  /// The attempt is over. If it has no outcome, it never will.
  void end(AttemptTally& counted) noexcept;

 private:
  static void add(Number& to) noexcept { to.store(to.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
};

}  // namespace headgate::balance
