#pragma once
// How the limits of one stage admit one request, as a state machine without I/O. The steps of limits drive it, and the
// candidate (gateway/candidate), which asks its Redis while the caller is served.

#include "gateway/limits/round.hpp"
#include "gateway/limits/shards.hpp"
#include "gateway/path/path.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace headgate::gateway {

/// For whom a request is admitted.
enum class AdmitFor : std::uint8_t {
  caller,
  candidate  ///< nobody is told: nothing is counted in place of Redis, and no appointment is looked at or offered
};

/// Lives in the frame of what drives it, or beside the exchange; worker thread only. begin() and each event return what
/// is needed next:
///
///   ask     Redis has to decide checks() into decisions(); then redis_said().
///   wait    the request stands in a queue, and Turn::wait() has to return; then turn_came().
///   offer   the request was rejected: offer_in_redis() may book permits for later; then offered().
///   failed  Redis has not answered, and nothing was taken. Only for candidates: for callers `if_redis_down` decides.
///   done    problem() says what the caller is told, or nothing if the request goes on.
///
/// A stage in memory never asks Redis. While the request waits it keeps what earlier stages took, and takes nothing of
/// this one: when it has its turn, all limits of the stage are asked again.
class StageAdmission {
 public:
  enum class Next : std::uint8_t { ask, wait, offer, failed, done };

  /// `turn` is the place of the request in the queue for a permit; null if nothing may let it wait.
  StageAdmission(Path& path, Exchange& x, Stage stage, RoundPart part = RoundPart::all, Turn* turn = nullptr,
                 AdmitFor whom = AdmitFor::caller) noexcept;
  StageAdmission(const StageAdmission&) = delete;
  StageAdmission& operator=(const StageAdmission&) = delete;

  Next begin();
  /// Redis has decided the checks, or says why it did not.
  Next redis_said(const Result<bool>& agreed);
  Next turn_came();
  Next offered();
  /// Gives up before Redis was asked: nothing was decided.
  void drop() { round_.drop(); }

  std::span<const limit::Check> checks() const noexcept { return round_.checks(); }
  std::span<limit::Decision> decisions() const noexcept { return round_.decisions(); }
  MaybeProblem& problem() noexcept { return problem_; }

 private:
  bool in_redis() const noexcept { return round_.stage == Stage::redis; }
  /// Permits of requests in flight are among its limits.
  bool in_flight() const noexcept;
  RoundTime moment() const;
  Next decide_here();
  void reject_behind_others();
  Next decided(bool agreed);
  Next fall_back();
  Next stand_back();
  Next rejected();
  Next admitted();
  void take_share();
  void take_share_late();
  void return_share();

  Path& path_;
  Exchange& x_;
  Turn* const turn_;
  const AdmitFor whom_;
  Round round_;
  const Admission::Outcome outcome_before_;
  const Duration delay_before_;
  std::vector<limit::Check> share_;    ///< what was taken here beside Redis, after an outage
  std::optional<OtherShards> others_;  ///< once a shard has rejected
  MaybeProblem problem_;
};

}  // namespace headgate::gateway
