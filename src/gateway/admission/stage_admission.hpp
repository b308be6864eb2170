#pragma once
// The admission of one request by the limits of one stage, as a state machine without I/O. The limit steps drive it,
// and so does the candidate (gateway/candidate), which calls Redis while the client is being served.

#include "gateway/limits/round.hpp"
#include "gateway/limits/shards.hpp"
#include "gateway/path/path.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace headgate::gateway {

/// The purpose of an admission.
enum class AdmitFor : std::uint8_t {
  caller,
  /// for the candidate, whose result no client sees: nothing is counted locally in place of Redis, and appointments are
  /// neither used nor offered
  candidate
};

/// Decides the limits of one stage for one request. Lives in the frame of its driver or in the candidate's exchange;
/// worker thread only. begin() and each event return what is needed next:
///
///   ask     Redis has to decide checks() into decisions(); then call redis_said().
///   wait    the request is in a queue: wait until Turn::wait() returns; then call turn_came().
///   offer   the request was rejected: offer_in_redis() may book permits for later; then call offered().
///   failed  Redis has not answered, and nothing was taken. Only for candidates: for clients `if_redis_down` decides.
///   done    problem() has the refusal, or is empty if the request goes on.
///
/// A stage in memory never asks Redis. While the request waits it keeps the permits of earlier stages and holds none of
/// this stage: on its turn, all limits of this stage are checked again.
class StageAdmission {
 public:
  enum class Next : std::uint8_t { ask, wait, offer, failed, done };

  /// `turn` is the request's place in the queue for a permit; null if the request may not wait.
  StageAdmission(Path& path, Exchange& x, Stage stage, RoundPart part = RoundPart::all, Turn* turn = nullptr,
                 AdmitFor whom = AdmitFor::caller) noexcept;
  StageAdmission(const StageAdmission&) = delete;
  StageAdmission& operator=(const StageAdmission&) = delete;

  Next begin();
  /// Continues with the answer of Redis, or with the error if there is none.
  Next redis_said(const Result<bool>& agreed);
  Next turn_came();
  Next offered();
  /// Abandons the round before Redis was asked, so nothing is decided.
  void drop() { round_.drop(); }

  std::span<const limit::Check> checks() const noexcept { return round_.checks(); }
  std::span<limit::Decision> decisions() const noexcept { return round_.decisions(); }
  MaybeProblem& problem() noexcept { return problem_; }

 private:
  bool in_redis() const noexcept { return round_.stage == Stage::redis; }
  /// Returns whether the stage has limits of requests in flight.
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
  /// checks that took permits in memory in addition to those in Redis, after an outage
  std::vector<limit::Check> share_;
  bool clamped_ = false;               ///< whether smaller holds were tried, or would have been if they could help
  std::optional<OtherShards> others_;  ///< set once a shard has rejected the request
  MaybeProblem problem_;
};

}  // namespace headgate::gateway
