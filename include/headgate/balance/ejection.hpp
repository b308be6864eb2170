#pragma once
// Outlier ejection: takes failing servers out of rotation and lets them come back. A state machine on the results of
// the servers of one upstream. Each server is compared with its peers, so at least two servers are needed. Used by
// watch; config fills the options.

#include "headgate/balance/latencies.hpp"
#include "headgate/balance/outcome.hpp"
#include "headgate/core/per_enum.hpp"
#include "headgate/core/time.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace headgate::balance {

/// When a server is ejected, and for how long. Shares are in millionths (ShareWindow::kWhole).
struct EjectOptions {
  bool on = true;
  std::uint32_t in_a_row = 3;                   ///< number of consecutive failures after which a server is ejected
  std::uint32_t share = 500'000;                ///< share of failures at which a server is ejected
  Duration of_last = std::chrono::seconds(10);  ///< length of the time whose outcomes give the share
  std::uint32_t at_least = 20;  ///< number of outcomes in that time below which the share does not count
  /// time without an answer, while its peers answer, after which a server is ejected
  Duration silent = std::chrono::seconds(3);
  std::uint32_t slower = 3;  ///< factor: a server is ejected if it is this many times slower than its peers
  Duration time = std::chrono::seconds(5);     ///< length of an ejection, multiplied by the number of recent ejections
  Duration longest = std::chrono::minutes(5);  ///< maximum length of an ejection
  std::uint32_t most = 500'000;                ///< maximum share of the servers that may be ejected, rounded up
  std::uint32_t panic_below = 300'000;         ///< share of available servers below which ejected servers come back
  bool operator==(const EjectOptions&) const = default;
};

/// The reason for an ejection.
enum class EjectReason : std::uint8_t {
  unreachable,  ///< consecutive failures, none of which had a connection
  failing,      ///< consecutive failures
  errors,       ///< too large a share of failures
  silent,       ///< the server owes answers but sends none or too few
  slow,
  count
};
inline constexpr WordsOf<EjectReason> kEjectReasonWords({"unreachable", "failing", "errors", "silent", "slow"});
constexpr std::string_view to_text(EjectReason reason) noexcept { return kEjectReasonWords[reason]; }

/// The results of one server since the previous step, over all workers. The counts are those of Tally.
struct ServerResults {
  std::uint32_t asked = 0;
  std::uint32_t settled = 0;
  std::uint32_t abandoned = 0;
  std::array<std::uint32_t, kOutcomes> ended{};
  std::uint32_t late = 0;
  std::uint32_t trials_passed = 0;
  std::uint32_t trials_failed = 0;
  std::uint32_t trials_abandoned = 0;
  Duration trial_took{0};
  Latencies latencies{};
  bool unhealthy = false;  ///< whether the server is out now because of its health check

  std::uint32_t of(AttemptOutcome outcome) const noexcept { return ended[static_cast<std::size_t>(outcome)]; }
  std::uint32_t heads() const noexcept { return of(AttemptOutcome::answered) + of(AttemptOutcome::server_error); }
  std::uint32_t failures() const noexcept {
    return of(AttemptOutcome::server_error) + of(AttemptOutcome::no_connection) + of(AttemptOutcome::timeout) +
           of(AttemptOutcome::broken);
  }
};

/// A change of one server.
struct EjectChange {
  enum class What : std::uint8_t { ejected, trial_failed, returned };
  std::size_t at = 0;
  What what = What::ejected;
  EjectReason reason = EjectReason::failing;
  Duration time{0};    ///< time until the next trial; 0 for `returned`
  unsigned times = 0;  ///< number of recent ejections, including this one
  bool panic = false;  ///< true if the server came back because too few servers were left
};

/// The state machine of one upstream; one thread. All times are arguments and never decrease.
///
/// An ejected server gets no requests. When its time is over, the server is tried with single requests, one after
/// another. After kTrials answered trials, the server gets requests again. A failed trial begins the next, longer
/// ejection. If a failed trial may harm its caller, the next trial waits for kTrialOf answers since the last failed
/// trial, unless there are hardly any requests.
class Ejection {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  static constexpr unsigned kTrials = 3;  ///< consecutive successful trials needed to come back
  /// minimum number of answers between a failed trial and the next trial that may harm its caller
  static constexpr std::uint64_t kTrialOf = 40;
  static constexpr std::uint32_t kWindow = 50;  ///< minimum number of samples to judge a latency by
  static constexpr unsigned kSlowWindows = 3;   ///< consecutive slow windows after which a server is slow
  static constexpr Duration kSlowFrom{25'000};  ///< a p95 below this is never slow

  Ejection(const EjectOptions& options, std::size_t servers);
  ~Ejection();
  Ejection(Ejection&&) noexcept;
  Ejection& operator=(Ejection&&) noexcept;

  /// Advances to `now`. `results` has one element for each server; `trial_taken` is true if a request has tried the
  /// server that trial() returned. Appends the changes to `changes`.
  void step(Steady now, std::span<const ServerResults> results, bool trial_taken, std::vector<EjectChange>& changes);

  bool ejected(std::size_t at) const noexcept;
  /// Returns the server that the next request should try; empty if there is none or its trial is under way.
  std::optional<std::size_t> trial() const noexcept;
  /// Returns the reason if the server is ejected.
  std::optional<EjectReason> reason(std::size_t at) const noexcept;
  /// Returns the moment at which the server came in or was ejected; the zero of the clock if it was in from the start.
  Steady since(std::size_t at) const noexcept;
  /// Copies the state of server `from` of `other`: whether it is ejected, for how long, and how often it was ejected
  /// recently.
  void inherit(std::size_t at, const Ejection& other, std::size_t from) noexcept;
  /// Returns when an ejected server may be tried next; empty if it is not ejected.
  std::optional<Steady> next_trial(std::size_t at) const noexcept;

 private:
  struct Symptoms;
  struct EjectState {
    bool out = false;
    EjectReason reason = EjectReason::failing;
    Steady since{};  ///< time at which the server came in or was ejected
    Steady until{};  ///< time of the next trial of an ejected server
    /// start of the period at whose end one of the recent ejections is forgotten
    Steady counted{};
    unsigned times = 0;   ///< number of recent ejections
    unsigned passed = 0;  ///< consecutive successful trials
    Duration lasts{0};    ///< length of the current or last ejection
  };

  std::optional<EjectReason> symptom(std::size_t at, std::span<const ServerResults> results) const noexcept;
  bool a_peer_is_better(std::size_t at, std::span<const ServerResults> results) const noexcept;
  bool is_silent(std::size_t at, std::span<const ServerResults> results) const noexcept;
  bool may_eject(std::span<const ServerResults> results) const noexcept;
  bool in(std::size_t at, std::span<const ServerResults> results) const noexcept;
  std::size_t count_in(std::span<const ServerResults> results) const noexcept;
  void watch(Steady now, std::span<const ServerResults> results);
  void watch_silence(Duration elapsed, std::span<const ServerResults> results);
  void watch_progress(Steady now, std::span<const ServerResults> results);
  void watch_latencies(Steady now, std::span<const ServerResults> results);
  std::optional<Duration> peers_p95(std::size_t at, Steady after) const;
  void eject(std::size_t at, EjectReason reason, Steady now);
  void come_back(std::size_t at, Steady now);
  void judge_trial(Steady now, const ServerResults& results, bool taken, std::vector<EjectChange>& changes);
  void choose_trial(Steady now, std::span<const ServerResults> results);
  void end_panic(Steady now, std::span<const ServerResults> results, std::vector<EjectChange>& changes);
  Duration silence_of(std::size_t at) const noexcept;

  EjectOptions options_;
  std::vector<EjectState> states_;
  std::vector<Symptoms> symptoms_;
  Latencies memory_;  ///< latencies of all servers in rotation; older values weigh less
  Steady last_{};
  Steady halved_{};
  Steady epoch_{};
  Steady segment_{};
  std::uint64_t served_ = 0;          ///< number of answers since the last failed trial
  std::optional<std::size_t> tried_;  ///< the server whose trial is due or under way
  std::optional<Steady> trial_begun_;
};

}  // namespace headgate::balance
