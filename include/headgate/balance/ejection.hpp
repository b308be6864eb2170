#pragma once
// Takes servers that fail out of rotation, and lets them come back: a state machine on what happened at the servers of
// one upstream. It compares each server with its peers, so it needs at least two.

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

/// When a server is ejected, and for how long. The parts are of ShareWindow::kWhole.
struct EjectOptions {
  bool on = true;
  std::uint32_t in_a_row = 3;                   ///< failures without an answer between them
  std::uint32_t share = 500'000;                ///< or this share of failures ...
  Duration of_last = std::chrono::seconds(10);  ///< ... in this time ...
  std::uint32_t at_least = 20;                  ///< ... of at least this many outcomes
  Duration silent = std::chrono::seconds(3);    ///< or no answer for this time, while its peers answer
  std::uint32_t slower = 3;                     ///< or this many times slower than its peers
  Duration time = std::chrono::seconds(5);      ///< how long, times the number of ejections that are remembered
  Duration longest = std::chrono::minutes(5);   ///< how long at most
  std::uint32_t most = 500'000;                 ///< share of the servers that may be ejected, rounded up
  std::uint32_t panic_below = 300'000;          ///< if a smaller share can be chosen, ejected servers come back
  bool operator==(const EjectOptions&) const = default;
};

/// Why a server is ejected.
enum class EjectReason : std::uint8_t {
  unreachable,  ///< failures in a row, and none of them had a connection
  failing,      ///< failures in a row
  errors,       ///< a share of failures
  silent,       ///< it owes answers, and gives none or too few
  slow,
  count
};
inline constexpr WordsOf<EjectReason> kEjectReasonWords({"unreachable", "failing", "errors", "silent", "slow"});
constexpr std::string_view to_text(EjectReason reason) noexcept { return kEjectReasonWords[reason]; }

/// What happened at one server since the step before, over all workers. The counts are those of Tally.
struct Happened {
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
  bool unhealthy = false;  ///< out for another reason, now

  std::uint32_t of(AttemptOutcome outcome) const noexcept { return ended[static_cast<std::size_t>(outcome)]; }
  std::uint32_t heads() const noexcept { return of(AttemptOutcome::answered) + of(AttemptOutcome::server_error); }
  std::uint32_t failures() const noexcept {
    return of(AttemptOutcome::server_error) + of(AttemptOutcome::no_connection) + of(AttemptOutcome::timeout) +
           of(AttemptOutcome::broken);
  }
};

/// One change of a server.
struct EjectChange {
  enum class What : std::uint8_t { ejected, trial_failed, returned };
  std::size_t at = 0;
  What what = What::ejected;
  EjectReason reason = EjectReason::failing;
  Duration time{0};    ///< until its next trial; 0 for `returned`
  unsigned times = 0;  ///< how many ejections are remembered, with this one
  bool panic = false;  ///< it came back because too few servers were left
};

/// A state machine; one thread. All times are arguments and never fall.
///
/// An ejected server gets no requests. When its time is over it is tried with single requests, one after the other;
/// after kTrials that it answers it is back. A trial that fails begins the next, longer time. While a trial may harm
/// its caller, there is at most one in kTrialOf requests, unless there are hardly any requests.
class Ejection {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  static constexpr unsigned kTrials = 3;         ///< in a row, to come back
  static constexpr std::uint64_t kTrialOf = 40;  ///< one failed trial in so many requests
  static constexpr std::uint32_t kWindow = 50;   ///< least samples that a latency is judged by
  static constexpr unsigned kSlowWindows = 3;    ///< in a row, to be slow
  static constexpr Duration kSlowFrom{25'000};   ///< a p95 below is never slow

  Ejection(const EjectOptions& options, std::size_t servers);
  ~Ejection();
  Ejection(Ejection&&) noexcept;
  Ejection& operator=(Ejection&&) noexcept;

  /// What happened until `now`; `happened` has one element for each server. `trial_taken`: a request is on its way that
  /// tries the server of trial(). Appends what changed to `changes`.
  void step(Steady now, std::span<const Happened> happened, bool trial_taken, std::vector<EjectChange>& changes);

  bool ejected(std::size_t at) const noexcept;
  /// The server that the next request shall try; none if there is no such server or its trial is under way.
  std::optional<std::size_t> trial() const noexcept;
  /// Its reason, if it is ejected.
  std::optional<EjectReason> reason(std::size_t at) const noexcept;
  /// Since when it is in or out; the zero of the clock: from the start.
  Steady since(std::size_t at) const noexcept;
  /// Takes over what `other` knows of its server `from`: whether it is ejected, for how long, and how often it was.
  void inherit(std::size_t at, const Ejection& other, std::size_t from) noexcept;
  /// When an ejected server may be tried next; nothing if it is not ejected.
  std::optional<Steady> next_trial(std::size_t at) const noexcept;

 private:
  struct Symptoms;
  struct EjectState {
    bool out = false;
    EjectReason reason = EjectReason::failing;
    Steady since{};       ///< of being in or out
    Steady until{};       ///< of an ejection: the time of the next trial
    Steady counted{};     ///< since when it has been in, for forgetting ejections
    unsigned times = 0;   ///< ejections that are remembered
    unsigned passed = 0;  ///< trials in a row
    Duration lasts{0};    ///< of the current or last ejection
  };

  std::optional<EjectReason> symptom(std::size_t at, std::span<const Happened> happened) const noexcept;
  bool a_peer_is_better(std::size_t at, std::span<const Happened> happened) const noexcept;
  bool is_silent(std::size_t at, std::span<const Happened> happened) const noexcept;
  bool may_eject(std::span<const Happened> happened) const noexcept;
  bool in(std::size_t at, std::span<const Happened> happened) const noexcept;
  std::size_t count_in(std::span<const Happened> happened) const noexcept;
  void watch(Steady now, std::span<const Happened> happened);
  void watch_silence(Duration elapsed, std::span<const Happened> happened);
  void watch_progress(Steady now, std::span<const Happened> happened);
  void watch_latencies(Steady now, std::span<const Happened> happened);
  std::optional<Duration> peers_p95(std::size_t at, Steady after) const;
  void eject(std::size_t at, EjectReason reason, Steady now);
  void come_back(std::size_t at, Steady now);
  void judge_trial(Steady now, const Happened& happened, bool taken, std::vector<EjectChange>& changes);
  void choose_trial(Steady now, std::span<const Happened> happened);
  void end_panic(Steady now, std::span<const Happened> happened, std::vector<EjectChange>& changes);
  Duration silence_of(std::size_t at) const noexcept;

  EjectOptions options_;
  std::vector<EjectState> states_;
  std::vector<Symptoms> symptoms_;
  Latencies memory_;  ///< of all servers that are in; old ones weigh less and less
  Steady last_{};
  Steady halved_{};
  Steady epoch_{};
  Steady segment_{};
  std::uint64_t served_ = 0;          ///< answers since the last failed trial
  std::optional<std::size_t> tried_;  ///< the server whose trial is wanted or under way
  std::optional<Steady> trial_begun_;
};

}  // namespace headgate::balance
