#pragma once
// The outcomes of attempts at a server, counted by each worker. The watch of the upstream reads the counts (watch.hpp).
// Used by gateway and upstream.

#include "headgate/balance/latencies.hpp"
#include "headgate/core/per_enum.hpp"
#include "headgate/core/time.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace headgate::balance {

/// The outcome of an attempt. An attempt has no outcome if it says nothing about the server, because the client left,
/// or because a kept connection was closed before the server saw the request.
enum class AttemptOutcome : std::uint8_t {
  answered,
  server_error,   ///< answered with a status for which is_failure() is true
  no_connection,  ///< no connection or no TLS session could be made; nothing was sent
  timeout,        ///< no connection, or no complete head of an answer, in time
  broken,         ///< closed before its answer was complete, or answered with invalid bytes
  count
};
inline constexpr std::size_t kOutcomes = kCountOf<AttemptOutcome>;

/// Returns whether a status means that the server failed: 500 and above except 501 and 505, which mean that the request
/// asks for something that the server does not support.
constexpr bool is_failure(unsigned status) noexcept { return status >= 500 && status != 501 && status != 505; }

/// The state that the counters keep for one attempt. Each attempt starts with a new state.
struct AttemptTally {
  std::uint32_t era = 0;  ///< era of the server when the attempt began
  bool owed = false;      ///< true if the whole request was sent and there is no outcome yet
  bool noted = false;     ///< true if the outcome was counted
  bool trial = false;     ///< true if the attempt is a trial of an ejected server (Ejection)
};

/// The counters of one server on one worker. They only rise, and wrap to zero after the largest number. Only that
/// worker writes them; any thread may read them. Attempts that began before the last ejection (`era`) are not counted,
/// because they describe the server before the ejection.
class Tally {
 public:
  using Number = std::atomic<std::uint32_t>;

  std::atomic<std::uint32_t> era{0};  ///< era of the server; any thread may write it
  Number asked{0};                    ///< number of requests that were sent completely
  Number settled{0};                  ///< number of requests in `asked` that have an outcome or were abandoned
  Number abandoned{0};                ///< number of requests in `asked` that were abandoned
  std::array<Number, kOutcomes> ended{};
  Number open{0};  ///< attempts in progress at the server; the only number that also falls
  Number late{0};  ///< attempts that failed after the head of the answer; they are also counted as answered
  Number trials_passed{0};
  Number trials_failed{0};
  Number trials_abandoned{0};
  std::atomic<std::int64_t> trial_took{0};  ///< latency of the last successful trial, in µs
  std::array<Number, kLatencyBuckets> latencies{};

  /// Counts an attempt that has a connection to the server. Call end() when the attempt ends.
  void begin(AttemptTally& counted) noexcept {
    counted = {.era = era.load(std::memory_order_relaxed)};
    add(open);
  }
  /// Counts that the whole request of this attempt was sent, so that the server owes an answer.
  void ask(AttemptTally& counted) noexcept {
    if (counted.era != era.load(std::memory_order_relaxed)) return;
    counted.owed = true;
    add(asked);
  }
  /// Counts the outcome of an attempt: when the head of its answer arrives, or when it fails. `took` is the latency of
  /// the head; negative if it says nothing. A second call means that the answer broke off later, or that its trailers
  /// report a failure of the server.
  void note(AttemptTally& counted, AttemptOutcome outcome, Duration took) noexcept;
  /// Counts that no connection could be made. `trial` tells that the attempt was a trial.
  void fail(AttemptOutcome outcome, bool trial) noexcept {
    AttemptTally counted{.era = era.load(std::memory_order_relaxed), .trial = trial};
    note(counted, outcome, Duration(-1));
  }
  /// Counts a trial that got no connection for a reason for which the server is not responsible.
  void abandon_trial() noexcept { add(trials_abandoned); }
  /// Ends the attempt. An attempt without an outcome counts as abandoned if the server owed its answer.
  void end(AttemptTally& counted) noexcept;

 private:
  static void add(Number& to) noexcept { to.store(to.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
};

}  // namespace headgate::balance
