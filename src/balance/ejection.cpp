#include "headgate/balance/ejection.hpp"

#include "symptoms.hpp"

#include <algorithm>

namespace headgate::balance {
namespace {

/// Multiple of the ejection's length after which a trial no longer waits for enough other requests.
constexpr int kFewRequests = 6;
/// Time in rotation after which a server's number of ejections is reduced by one, as a multiple of its last ejection's
/// length.
constexpr int kForgets = 2;
constexpr Duration kShortestTrial = std::chrono::seconds(1);

/// Returns this share of `count`, rounded up.
std::size_t share_up(std::size_t count, std::uint32_t parts) noexcept {
  return (count * std::uint64_t{parts} + ShareWindow::kWhole - 1) / ShareWindow::kWhole;
}

}  // namespace

Ejection::Ejection(const EjectOptions& options, std::size_t servers)
    : options_(options), states_(servers), symptoms_(servers, Symptoms(options.of_last)) {}

Ejection::~Ejection() = default;
Ejection::Ejection(Ejection&&) noexcept = default;
Ejection& Ejection::operator=(Ejection&&) noexcept = default;

bool Ejection::ejected(std::size_t at) const noexcept { return states_[at].out; }

Ejection::Steady Ejection::since(std::size_t at) const noexcept { return states_[at].since; }

std::optional<EjectReason> Ejection::reason(std::size_t at) const noexcept {
  return states_[at].out ? std::optional(states_[at].reason) : std::nullopt;
}

std::optional<Ejection::Steady> Ejection::next_trial(std::size_t at) const noexcept {
  return states_[at].out ? std::optional(states_[at].until) : std::nullopt;
}

std::optional<std::size_t> Ejection::trial() const noexcept { return trial_begun_ ? std::nullopt : tried_; }

void Ejection::inherit(std::size_t at, const Ejection& other, std::size_t from) noexcept {
  states_[at] = other.states_[from];
  states_[at].passed = 0;
}

bool Ejection::in(std::size_t at, std::span<const ServerResults> results) const noexcept {
  return !states_[at].out && !results[at].unhealthy;
}

std::size_t Ejection::count_in(std::span<const ServerResults> results) const noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < states_.size(); ++i) count += in(i, results) ? 1 : 0;
  return count;
}

// The order matters: events are recorded first. A trial is judged before another server is ejected, because a
// successful trial may bring a server back.
void Ejection::step(Steady now, std::span<const ServerResults> results, bool trial_taken,
                    std::vector<EjectChange>& changes) {
  if (!options_.on || states_.size() < 2) return;
  if (last_ == Steady()) last_ = halved_ = epoch_ = segment_ = now;
  watch(now, results);
  last_ = now;
  if (tried_) judge_trial(now, results[*tried_], trial_taken, changes);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (!in(i, results) || !may_eject(results)) continue;
    const auto reason = symptom(i, results);
    if (!reason) continue;
    eject(i, *reason, now);
    changes.push_back({i, EjectChange::What::ejected, *reason, states_[i].lasts, states_[i].times});
  }
  end_panic(now, results, changes);
  choose_trial(now, results);
  for (auto& each : states_) {
    if (each.out || each.times == 0 || now - each.counted < each.lasts * kForgets) continue;
    --each.times;
    each.counted = now;
  }
}

bool Ejection::may_eject(std::span<const ServerResults> results) const noexcept {
  const auto out = static_cast<std::size_t>(
      std::count_if(states_.begin(), states_.end(), [](const EjectState& each) { return each.out; }));
  const auto in = count_in(results);
  const auto least = std::max<std::size_t>(1, share_up(states_.size(), options_.panic_below));
  return out < share_up(states_.size(), options_.most) && in > least;
}

void Ejection::eject(std::size_t at, EjectReason reason, Steady now) {
  auto& state = states_[at];
  if (!state.out) {
    state.out = true;
    state.reason = reason;
    state.since = now;
    served_ = 0;
  }
  ++state.times;
  state.passed = 0;
  state.lasts = std::min<Duration>(options_.time * state.times, options_.longest);
  state.until = now + state.lasts;
}

void Ejection::come_back(std::size_t at, Steady now) {
  auto& state = states_[at];
  state.out = false;
  state.passed = 0;
  state.since = now;
  state.counted = now;
  symptoms_[at].clear(now);
  if (tried_ == at) {
    tried_.reset();
    trial_begun_.reset();
  }
}

void Ejection::judge_trial(Steady now, const ServerResults& results, bool taken, std::vector<EjectChange>& changes) {
  const auto at = *tried_;
  auto& state = states_[at];
  if (taken && !trial_begun_) trial_begun_ = now;
  if (results.unhealthy) {  // a trial is worthwhile only once the health check succeeds
    tried_.reset();
    trial_begun_.reset();
    return;
  }
  bool failed = results.trials_failed > 0;
  if (!failed && results.trials_passed > 0) {
    const auto usual = peers_p95(at, Steady());
    const bool slow = state.reason == EjectReason::slow && usual && results.trial_took >= kSlowFrom &&
                      results.trial_took > *usual * options_.slower;
    failed = slow;
    if (!slow) {
      trial_begun_.reset();
      if (++state.passed < kTrials) return;
      come_back(at, now);
      changes.push_back({at, EjectChange::What::returned, state.reason, Duration(0), state.times});
      return;
    }
  }
  const auto patience = std::clamp(memory_.quantile(99) * 4, kShortestTrial, std::max(kShortestTrial, options_.silent));
  failed = failed || (trial_begun_ && now - *trial_begun_ >= patience);
  if (!failed) {
    if (results.trials_abandoned > 0) trial_begun_.reset();
    return;
  }
  served_ = 0;
  tried_.reset();
  trial_begun_.reset();
  eject(at, state.reason, now);
  changes.push_back({at, EjectChange::What::trial_failed, state.reason, state.lasts, state.times});
}

/// Chooses one server at a time for a trial: the one whose ejection ended first. A server that was unreachable need not
/// wait for other requests: if its trial fails, the request goes to another server, so the caller loses nothing.
void Ejection::choose_trial(Steady now, std::span<const ServerResults> results) {
  if (tried_) return;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const auto& each = states_[i];
    if (!each.out || results[i].unhealthy || now < each.until) continue;
    const bool harmless = each.reason == EjectReason::unreachable;
    if (!harmless && served_ < kTrialOf && now < each.until + each.lasts * kFewRequests) continue;
    if (!tried_ || each.until < states_[*tried_].until) tried_ = i;
  }
}

/// Returns ejected servers to rotation, the longest ejected first, until enough servers are in. If too few are in
/// because others are unhealthy, an ejected server may be better than none.
void Ejection::end_panic(Steady now, std::span<const ServerResults> results, std::vector<EjectChange>& changes) {
  const auto least = std::max<std::size_t>(1, share_up(states_.size(), options_.panic_below));
  while (count_in(results) < least) {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (!states_[i].out || results[i].unhealthy) continue;
      if (!first || states_[i].since < states_[*first].since) first = i;
    }
    if (!first) return;
    come_back(*first, now);
    const auto& state = states_[*first];
    changes.push_back({*first, EjectChange::What::returned, state.reason, Duration(0), state.times, true});
  }
}

}  // namespace headgate::balance
