// Ejection: the symptoms of servers in rotation, and which of them are reasons to eject.

#include "symptoms.hpp"

#include <algorithm>

namespace headgate::balance {
namespace {

using std::chrono::seconds;

/// Time after which half of a latency's weight is gone.
constexpr auto kMemory = seconds(30);
/// Minimum duration of a window of latencies.
constexpr auto kEpoch = seconds(1);
/// A server that answers within this multiple of the usual latency is not silent.
constexpr int kPatient = 4;
/// Number of answers from peers that shows that not all servers are silent.
constexpr std::uint32_t kPeersAnswer = 3;
/// Number of answers that are enough to know the usual latency.
constexpr std::uint32_t kKnown = 10;
/// Number of requests below which it is unknown whether a server keeps up.
constexpr std::uint32_t kProgress = 20;

}  // namespace

void Ejection::watch(Steady now, std::span<const ServerResults> results) {
  const auto elapsed = std::chrono::duration_cast<Duration>(now - last_);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const auto& each = results[i];
    served_ += each.of(AttemptOutcome::answered);
    if (states_[i].out) continue;
    auto& seen = symptoms_[i];
    const auto failures = each.failures();
    seen.share.add(now, each.of(AttemptOutcome::answered), failures + each.late);
    if (each.of(AttemptOutcome::answered) > 0) {
      seen.row = 0;
      seen.unreachable = true;
    } else {
      seen.row += failures;
      seen.unreachable = seen.unreachable && failures == each.of(AttemptOutcome::no_connection);
    }
    memory_.add(each.latencies);
  }
  if (now - halved_ >= kMemory) {
    memory_.halve();
    halved_ = now;
  }
  watch_silence(elapsed, results);
  watch_progress(now, results);
  watch_latencies(now, results);
}

void Ejection::watch_silence(Duration elapsed, std::span<const ServerResults> results) {
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < states_.size(); ++i) all += states_[i].out ? 0 : results[i].heads();
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].out) continue;
    const auto& each = results[i];
    auto& seen = symptoms_[i];
    const bool owed = seen.unanswered > 0;
    const auto outstanding = seen.outstanding + each.asked;
    seen.outstanding = outstanding - std::min(each.settled, outstanding);
    if (each.heads() > 0) {
      // Requests that the server got before its last answer are not counted, because they may just be slow.
      seen.unanswered = std::min(seen.outstanding, each.asked);
      seen.silent = Duration(0);
      seen.peers_answered = 0;
      continue;
    }
    seen.unanswered = std::min(seen.outstanding, seen.unanswered + each.asked);
    // Callers may give up one after another, so that at this moment none of them waits although the server is silent.
    if (!owed && each.abandoned == 0) continue;
    seen.silent += elapsed;
    seen.peers_answered += all;
  }
}

void Ejection::watch_progress(Steady now, std::span<const ServerResults> results) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].out) continue;
    symptoms_[i].asked += results[i].asked;
    symptoms_[i].heads += results[i].heads();
  }
  if (now - segment_ < options_.silent) return;
  segment_ = now;
  std::uint64_t asked = 0;
  std::uint64_t heads = 0;
  for (const auto& seen : symptoms_) {
    asked += seen.asked;
    heads += seen.heads;
  }
  for (auto& seen : symptoms_) {
    const auto peers_asked = asked - seen.asked;
    const auto peers_heads = heads - seen.heads;
    seen.lags = seen.asked >= kProgress && seen.heads * 2 < seen.asked && peers_asked >= kProgress &&
                peers_heads * 5 >= peers_asked * 4;
  }
  for (auto& seen : symptoms_) seen.asked = seen.heads = 0;
}

/// A window is compared with the windows of its peers that ended while it lasted. If all servers become slow together,
/// none of them counts as slow.
void Ejection::watch_latencies(Steady now, std::span<const ServerResults> results) {
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (!states_[i].out) symptoms_[i].fresh.add(results[i].latencies);
  if (now - epoch_ < kEpoch) return;
  epoch_ = now;
  const auto ends = [&](std::size_t i) { return !states_[i].out && symptoms_[i].fresh.total() >= kWindow; };
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (!ends(i)) continue;
    symptoms_[i].p95 = symptoms_[i].fresh.quantile(95);
    symptoms_[i].window_ended = now;
  }
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (!ends(i)) continue;
    auto& seen = symptoms_[i];
    if (const auto usual = peers_p95(i, seen.window_begun)) {
      // If a tenth of all answers take long, a window may have none of them by chance, so its p95 alone is no proof.
      const bool many = seen.fresh.quantile(80) > *usual;
      const bool slow = many && seen.p95 > *usual * options_.slower && seen.p95 >= kSlowFrom;
      seen.slow_windows = slow ? seen.slow_windows + 1 : 0;
    }
  }
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (!ends(i)) continue;
    symptoms_[i].fresh = {};
    symptoms_[i].window_begun = now;
  }
}

std::optional<Duration> Ejection::peers_p95(std::size_t at, Steady after) const {
  std::vector<Duration> peers;
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (i != at && !states_[i].out && symptoms_[i].p95 > Duration(0) && symptoms_[i].window_ended > after)
      peers.push_back(symptoms_[i].p95);
  if (peers.empty()) return std::nullopt;
  // If two values are in the middle, the larger one is used, so that in doubt the server does not count as slow.
  const auto middle = peers.begin() + static_cast<std::ptrdiff_t>(peers.size() / 2);
  std::nth_element(peers.begin(), middle, peers.end());
  return *middle;
}

Duration Ejection::silence_of(std::size_t at) const noexcept {
  // A server that was silent recently is suspected sooner.
  const auto least = states_[at].times > 0 ? options_.silent / 2 : options_.silent;
  return std::max(least, memory_.quantile(99) * kPatient);
}

bool Ejection::is_silent(std::size_t at, std::span<const ServerResults> results) const noexcept {
  const auto& seen = symptoms_[at];
  if (seen.lags) return true;
  const auto enough = silence_of(at);
  if (seen.silent < enough) return false;
  if (seen.peers_answered >= kPeersAnswer) return true;
  // No peer has answered, perhaps because all callers wait for this server. So the silence is compared with earlier
  // latencies. These prove less for a single request, so a single request must wait twice as long.
  const bool several = seen.unanswered >= kPeersAnswer;
  if (seen.silent < (several ? enough : enough * 2) || memory_.total() < kKnown) return false;
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (i != at && in(i, results) && symptoms_[i].unanswered > 0) return false;
  return true;
}

/// Returns whether a peer has at most half of this server's share of failures. If all servers fail alike, ejecting one
/// does not help.
bool Ejection::a_peer_is_better(std::size_t at, std::span<const ServerResults> results) const noexcept {
  const auto& own = symptoms_[at].share;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (i == at || !in(i, results)) continue;
    const auto& peer = symptoms_[i].share;
    if (peer.bad() * 2 * own.total() <= own.bad() * peer.total()) return true;
  }
  return false;
}

std::optional<EjectReason> Ejection::symptom(std::size_t at, std::span<const ServerResults> results) const noexcept {
  const auto& seen = symptoms_[at];
  const bool row = seen.row >= options_.in_a_row;
  const bool share = seen.share.total() >= options_.at_least && seen.share.reaches(options_.share);
  if ((row || share) && a_peer_is_better(at, results)) {
    if (!row) return EjectReason::errors;
    return seen.unreachable ? EjectReason::unreachable : EjectReason::failing;
  }
  if (is_silent(at, results)) return EjectReason::silent;
  if (seen.slow_windows >= kSlowWindows) return EjectReason::slow;
  return std::nullopt;
}

}  // namespace headgate::balance
