#include "headgate/balance/watch.hpp"

#include <algorithm>
#include <utility>

namespace headgate::balance {
namespace {

/// Time after which a worker that has taken no trial is assumed to have no requests at the moment.
constexpr auto kOrder = std::chrono::milliseconds(500);

std::uint32_t load(const Tally::Number& number) noexcept { return number.load(std::memory_order_relaxed); }

/// Returns how far a counter has risen since `last`, and updates `last`.
std::uint32_t risen(const Tally::Number& number, std::uint32_t& last) noexcept {
  return load(number) - std::exchange(last, load(number));
}

}  // namespace

Watch::Watch(WatchOptions options, const Watch* before)
    : options_(std::move(options)),
      bits_(options_.servers.size(), 0),
      since_(options_.servers.size()),
      reaches_(options_.servers.size()),
      uses_(options_.servers.size()),
      ejection_(options_.eject, options_.servers.size()) {
  if (options_.circuit) circuit_.emplace(*options_.circuit);
  if (before == nullptr) return;
  const std::lock_guard lock(before->mutex_);
  const auto& known = before->options_.servers;
  for (std::size_t i = 0; i < bits_.size(); ++i) {
    const auto same = std::find(known.begin(), known.end(), options_.servers[i]);
    if (same == known.end()) continue;
    const auto from = static_cast<std::size_t>(same - known.begin());
    bits_[i] = before->bits_[from];
    since_[i] = before->since_[from];
    reaches_[i] = before->reaches_[from];
    uses_[i] = before->uses_[from];
    if (options_.eject.on && options_.servers.size() > 1)
      ejection_.inherit(i, before->ejection_, from);
    else
      bits_[i] &= static_cast<std::uint8_t>(~kEjected);
  }
  if (!circuit_ || before->options_.circuit != options_.circuit) return;
  circuit_ = before->circuit_;
  show_circuit();
}

std::shared_ptr<WatchPart> Watch::join(const Table& table) {
  auto part = std::make_shared<WatchPart>(gate_);
  const std::lock_guard lock(mutex_);
  auto& member = members_.emplace_back();
  member.part = part;
  for (std::size_t i = 0; i < bits_.size(); ++i) {
    auto& row = member.rows.emplace_back();
    row.server = table.shared(i);
    row.server->out.fetch_and(static_cast<std::uint8_t>(~(kEjected | kUnhealthy | kTakenOut)));
    row.server->out.fetch_or(bits_[i]);
    // This watch has no time for a server that a reload has added; such a server keeps the time in its own row.
    if (since_[i] != Steady()) row.server->since = since_[i].time_since_epoch().count();
    ServerResults ignored;
    read(row, ignored);
  }
  return part;
}

/// Adds the events since the last call to `into`. Returns the number of requests.
std::uint32_t Watch::read(Row& row, ServerResults& into) {
  const auto& tally = row.server->tally;
  auto& last = row.last;
  const auto asked = risen(tally.asked, last.asked);
  into.asked += asked;
  into.settled += risen(tally.settled, last.settled);
  into.abandoned += risen(tally.abandoned, last.abandoned);
  std::uint32_t ended = 0;
  for (std::size_t i = 0; i < kOutcomes; ++i) {
    const auto more = risen(tally.ended[i], last.ended[i]);
    into.ended[i] += more;
    ended += more;
  }
  into.late += risen(tally.late, last.late);
  const auto passed = risen(tally.trials_passed, last.trials_passed);
  into.trials_passed += passed;
  into.trials_failed += risen(tally.trials_failed, last.trials_failed);
  into.trials_abandoned += risen(tally.trials_abandoned, last.trials_abandoned);
  if (passed > 0) into.trial_took = Duration(tally.trial_took.load(std::memory_order_relaxed));
  if (ended == 0) return asked;
  for (std::size_t i = 0; i < kLatencyBuckets; ++i)
    if (const auto more = risen(tally.latencies[i], row.latencies[i]); more > 0) into.latencies.add(i, more);
  return std::max(asked, ended);
}

WatchNews Watch::tick(Steady now) {
  WatchNews news;
  const std::lock_guard lock(mutex_);
  std::erase_if(members_, [](const Member& member) { return member.part.expired(); });
  std::vector<ServerResults> results(options_.servers.size());
  for (auto& member : members_) {
    member.busy /= 2;
    for (std::size_t i = 0; i < member.rows.size(); ++i) member.busy += read(member.rows[i], results[i]);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    reaches_[i].note(now, results[i]);
    uses_[i].note(now, results[i]);
  }
  if (options_.servers.size() > 1 && options_.eject.on) {
    for (std::size_t i = 0; i < results.size(); ++i)
      results[i].unhealthy = (bits_[i] & static_cast<std::uint8_t>(~kEjected)) != 0;
    const bool taken = order_was_taken(now);
    ejection_.step(now, results, taken, news.servers);
    for (const auto& change : news.servers) show(change.at, kEjected, change.what != EjectChange::What::returned, now);
    order_trial(now);
  }
  if (circuit_) tick_circuit(now, news);
  return news;
}

void Watch::tick_circuit(Steady now, WatchNews& news) {
  CircuitNews results;
  for (auto& member : members_) {
    const auto part = member.part.lock();
    if (!part) continue;
    results.good += risen(part->door.good, member.good);
    results.bad += risen(part->door.bad, member.bad);
    news.refused += risen(part->door.refused, member.refused);
  }
  results.probes_passed = risen(gate_.passed, passed_);
  results.probes_failed = risen(gate_.failed, failed_);
  results.probes_left = risen(gate_.left, left_);
  const auto before = circuit_->probes();
  const bool changed = circuit_->step(now, results);
  if (changed) {
    news.circuit = circuit_->state();
    show_circuit();
  } else if (circuit_->state() == CircuitState::half_open) {
    if (circuit_->probes() > before) gate_.probes.fetch_add(static_cast<std::int32_t>(circuit_->probes() - before));
  }
}

void Watch::show_circuit() {
  gate_.until = circuit_->until().time_since_epoch().count();
  gate_.probes = static_cast<std::int32_t>(circuit_->probes());
  gate_.state = circuit_->state();
}

/// Returns whether the worker has taken the ordered trial; true only once for each order. If the worker does not take
/// the trial in time, another one gets the order.
bool Watch::order_was_taken(Steady now) {
  if (!ordered_) return false;
  if (ordered_->trial.load() == 0) {
    ordered_.reset();
    passed_over_ = nullptr;
    return true;
  }
  if (now - ordered_at_ < kOrder) return false;
  if (ordered_->trial.exchange(0) == 0) {
    ordered_.reset();
    return true;
  }
  passed_over_ = ordered_.get();
  ordered_.reset();
  return false;
}

void Watch::withdraw_order() {
  if (!ordered_) return;
  ordered_->trial = 0;
  ordered_.reset();
}

void Watch::order_trial(Steady now) {
  const auto wanted = ejection_.trial();
  if (ordered_ && (!wanted || ordered_server_ != *wanted)) withdraw_order();
  if (ordered_ || !wanted) return;
  const Member* best = nullptr;
  for (const auto& member : members_) {
    const bool other = members_.size() == 1 || member.part.lock().get() != passed_over_;
    if (other && (best == nullptr || member.busy > best->busy)) best = &member;
  }
  if (best == nullptr) return;
  ordered_ = best->part.lock();
  if (!ordered_) return;
  ordered_at_ = now;
  ordered_server_ = static_cast<std::uint32_t>(*wanted);
  ordered_->trial = ordered_server_ + 1;
}

void Watch::show(std::size_t at, std::uint8_t bit, bool set, Steady now) {
  const auto before = bits_[at];
  bits_[at] = set ? before | bit : before & static_cast<std::uint8_t>(~bit);
  const bool comes_in = before != 0 && bits_[at] == 0;
  if ((before == 0) != (bits_[at] == 0)) since_[at] = now;
  for (auto& member : members_) {
    auto& server = *member.rows[at].server;
    // In the new era, the results of attempts that began before the ejection do not count.
    if (bit == kEjected && set) server.tally.era.fetch_add(1, std::memory_order_relaxed);
    if (comes_in) server.since = now.time_since_epoch().count();
    if (set)
      server.out.fetch_or(bit);
    else
      server.out.fetch_and(static_cast<std::uint8_t>(~bit));
  }
}

void Watch::mark(std::size_t at, std::uint8_t bit, bool set, Steady now) {
  const std::lock_guard lock(mutex_);
  if (((bits_[at] & bit) != 0) != set) show(at, bit, set, now);
  if (const auto next = next_.lock()) next->mark_all(options_.servers[at], bit, set, now);
}

void Watch::hand_marks_to(const std::shared_ptr<Watch>& next) {
  const std::lock_guard lock(mutex_);
  next_ = next;
  for (std::size_t i = 0; i < bits_.size(); ++i)
    for (const auto bit : {kUnhealthy, kDrained, kDown})
      next->mark_all(options_.servers[i], bit, (bits_[i] & bit) != 0, since_[i]);
}

/// Marks all rows of the server: a server that is listed twice has two rows.
void Watch::mark_all(const std::string& server, std::uint8_t bit, bool set, Steady now) {
  for (std::size_t i = 0; i < options_.servers.size(); ++i)
    if (options_.servers[i] == server) mark(i, bit, set, now);
}

bool Watch::marked(std::size_t at, std::uint8_t bit) const {
  const std::lock_guard lock(mutex_);
  return (bits_[at] & bit) != 0;
}

void Watch::passed_check(std::size_t at, Steady now) {
  const std::lock_guard lock(mutex_);
  reaches_[at].passed_check(now);
}

WatchReport Watch::report(Steady now) const {
  WatchReport out;
  const auto since = [now](Steady then) { return std::chrono::duration_cast<Duration>(now - then); };
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < options_.servers.size(); ++i) {
    auto& server = out.servers.emplace_back();
    server.server = options_.servers[i];
    server.out = bits_[i];
    server.reason = ejection_.reason(i);
    if (since_[i] != Steady()) server.since = since(since_[i]);
    const auto& reach = reaches_[i];
    server.failed_in_a_row = reach.in_a_row();
    server.failing = reach.failing();
    server.last_failure = reach.last();
    if (server.failing) server.failing_since = since(reach.since());
    if (server.failing) server.last_tried = since(reach.last_failed());
    server.rates = uses_[i].rates(now);
    if (const auto next = ejection_.next_trial(i)) server.next_trial = std::max(Duration(0), -since(*next));
    for (const auto& member : members_) server.in_flight += load(member.rows[i].server->tally.open);
  }
  if (circuit_) out.circuit = circuit_->state();
  if (out.circuit == CircuitState::open) out.circuit_tries = std::max(Duration(0), -since(circuit_->until()));
  return out;
}

}  // namespace headgate::balance
