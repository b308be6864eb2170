#include "headgate/limit/memory_store.hpp"

#include "key_table.hpp"
#include "limit_numbers.hpp"
#include "merge.hpp"
#include "spin_mutex.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/balance.hpp"

#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headgate::limit {
namespace {

constexpr std::size_t kMaxStripes = 64;       // one bit for each in a StripeSet
constexpr std::size_t kKeysPerStripe = 4096;  // with fewer keys, one stripe could be full long before the others
// The time of one thread's call may be behind the times of other threads by this much. If it is further behind, the
// clock was set back, and the counters follow it; otherwise, they would not refill until the clock had caught up.
constexpr Duration kLatest = std::chrono::seconds(10);

using StripeSet = std::uint64_t;

struct alignas(64) Stripe {
  explicit Stripe(std::size_t bound) : table(bound) {}

  /// Returns the time to count with. It is never earlier than that of an earlier call, because an earlier time would
  /// undo what that call has taken.
  Instant clock(Instant now) noexcept { return latest = clock_of_peek(now); }
  /// Does the same for a call that changes nothing.
  Instant clock_of_peek(Instant now) const noexcept { return now >= latest || latest - now > kLatest ? now : latest; }

  SpinMutex mutex;
  Instant latest{};
  KeyTable table;
};

/// A check of a call and its counter, while the counter's stripe is locked.
struct Peek {
  const Check* check;
  Stripe* stripe;
  Instant now;
  CounterSlot* slot;  ///< null if the counter was never used or was evicted
  Outcome outcome;
  CommitMode mode = CommitMode::none;
  bool first = true;  ///< whether this is the first counter of its limit in this call
};
using Peeks = boost::container::static_vector<Peek, kMaxRulesPerRequest>;

Peek look(const Check& check, Stripe& stripe, Instant now) {
  Peek peek{.check = &check,
            .stripe = &stripe,
            .now = check.peek ? stripe.clock_of_peek(now) : stripe.clock(now),
            .slot = stripe.table.find(check.hash),
            .outcome = {}};
  const Algorithm& algorithm = *check.rule->algorithm;
  // A new configuration may have changed the limit's algorithm, for which the old state is meaningless.
  static const State never_used;
  const bool known = peek.slot != nullptr && peek.slot->algorithm == algorithm_mark(algorithm);
  const State& state = known ? peek.slot->state : never_used;
  peek.outcome = algorithm.peek(state, *check.rule, check.cost, peek.now);
  return peek;
}

Decision decision_of(const Peek& peek, Instant now) {
  const Check& check = *peek.check;
  const std::span words(peek.outcome.words.data(), check.rule->algorithm->words);
  Decision decision = check.rule->algorithm->decision(*check.rule, check.cost, peek.mode, words).value_or(Decision{});
  if (const Duration behind = peek.now - now; behind > Duration(0)) {  // the clock of this call is behind by this much
    if (decision.retry_after > Duration(0) && decision.retry_after != kNever) decision.retry_after += behind;
    if (decision.reset_after > Duration(0)) decision.reset_after += behind;
  }
  tell(check, decision);
  return decision;
}

/// Returns whether a new counter represents its key in the number of keys. For a key with several rates, this is only
/// the counter of the first rate. A counter of offences never represents a key.
bool counts_key(const Peek& peek) { return peek.first && !peek.check->rule->suffix.ends_with(":ban"); }

/// Returns whether the counter belongs to appointments, because it marks an appointment as used or counts what an
/// address has reserved.
bool is_mark(const Rule& rule) { return rule.suffix.find(":appointment") != std::string::npos; }

const Algorithm* algorithm_of(std::uint32_t mark) noexcept {
  const auto all = algorithms();
  const auto at = std::ranges::find(all, mark, [](const Algorithm* each) { return algorithm_mark(*each); });
  return at == all.end() ? nullptr : *at;
}

void append_saved(const CounterSlot& slot, std::vector<std::pair<std::uint16_t, SavedCounter>>& out) {
  const Algorithm* const algorithm = algorithm_of(slot.algorithm);
  if (algorithm == nullptr || !algorithm->refills) return;
  SavedCounter counter{.hash = slot.hash,
                       .algorithm = std::string(algorithm->name),
                       .state_version = algorithm->state_version,
                       .full_at = slot.full_at,
                       .spent = slot.spent,
                       .first = slot.first,
                       .logs = slot.state.log != nullptr};
  std::ranges::copy(slot.state.numbers, counter.numbers.begin());
  if (counter.logs)
    counter.log = *slot.state.log;
  else
    counter.numbers.back() = slot.state.log.number();
  out.emplace_back(slot.limit, std::move(counter));
}

bool writes(const Peek& peek) noexcept {
  if (peek.check->peek) return false;
  if (peek.outcome.stale) return true;
  if (peek.mode == CommitMode::none || peek.check->cost == 0) return false;
  // A counter that does not exist gets nothing back, except a balance, to which an operator adds.
  return peek.slot != nullptr || peek.check->cost > 0 || is_balance(*peek.check->rule);
}

void write(Peek& peek, const Decision& decision, LimitNumbers& limits) {
  const Check& check = *peek.check;
  KeyTable& table = peek.stripe->table;
  CounterSlot& slot =
      peek.slot != nullptr ? *peek.slot : table.insert(check.hash, limits.of(*check.rule), peek.now, counts_key(peek));
  if (peek.slot == nullptr) slot.mark = is_mark(*check.rule);
  const Algorithm& algorithm = *check.rule->algorithm;
  if (slot.algorithm != algorithm_mark(algorithm)) slot.state = State();
  slot.algorithm = algorithm_mark(algorithm);
  const Instant full_at = algorithm.commit(slot.state, *check.rule, check.cost, peek.mode, peek.now, peek.outcome);
  table.note(slot, full_at, decision.remaining == 0);
}

}  // namespace

struct MemoryStore::Stripes {
  Stripes(std::size_t max_keys, Threads threads)
      : count(threads == Threads::one && max_keys <= KeyTable::kMaxKeys
                  ? 1
                  : std::bit_floor(std::clamp<std::size_t>(max_keys / kKeysPerStripe, 1, kMaxStripes))) {
    all.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      all.push_back(std::make_unique<Stripe>(std::max<std::size_t>(max_keys / count, 1)));
  }

  std::size_t index(const Check& check) const noexcept { return index(check.hash); }
  std::size_t index(const Hash& hash) const noexcept { return (hash.high >> 32) & (count - 1); }

  using Locks = boost::container::static_vector<std::unique_lock<SpinMutex>, kMaxRulesPerRequest>;

  /// Locks the stripes of all checks, always in ascending order, so that two threads never wait for each other.
  Locks lock(std::span<const Check> checks) {
    StripeSet set = 0;
    for (const Check& check : checks) {
      set |= StripeSet{1} << index(check);
      all[index(check)]->table.prefetch(check.hash);
    }
    Locks locks;
    for (; set != 0; set &= set - 1) locks.emplace_back(all[static_cast<std::size_t>(std::countr_zero(set))]->mutex);
    return locks;
  }

  bool decide(const Check& check, Instant now, Decision& decision) {
    Stripe& stripe = *all[index(check)];
    stripe.table.prefetch(check.hash);
    const std::lock_guard guard(stripe.mutex);
    Peek peek = look(check, stripe, now);
    const bool through = !rejects(check, peek.outcome.allowed);
    peek.mode = takes(check, through, peek.outcome.allowed);
    decision = decision_of(peek, now);
    if (writes(peek)) write(peek, decision, limits);
    return through;
  }

  bool decide(const Merged& merged, Instant now, std::span<Decision> decisions) {
    const Locks locks = lock({merged.checks.data(), merged.checks.size()});
    Peeks peeks;
    bool through = true;
    for (const Check& check : merged.checks) {
      peeks.push_back(look(check, *all[index(check)], now));
      through = through && !rejects(check, peeks.back().outcome.allowed);
      peeks.back().first = peeks.size() == 1 || (&peeks.back())[-1].check->rule->limit != check.rule->limit;
    }
    boost::container::static_vector<Decision, kMaxRulesPerRequest> answers;
    for (Peek& peek : peeks) {
      peek.mode = takes(*peek.check, through, peek.outcome.allowed);
      answers.push_back(decision_of(peek, now));
    }
    for (const bool known : {true, false})  // existing counters come first, because an insert may evict one
      for (std::size_t i = 0; i < peeks.size(); ++i)
        if ((peeks[i].slot != nullptr) == known && writes(peeks[i])) write(peeks[i], answers[i], limits);
    for (std::size_t i = 0; i < merged.merged_index.size(); ++i) decisions[i] = answers[merged.merged_index[i]];
    return through;
  }

  std::size_t count;
  std::vector<std::unique_ptr<Stripe>> all;
  LimitNumbers limits;
};

MemoryStore::MemoryStore(MemoryOptions options, Threads threads)
    : stripes_(std::make_unique<Stripes>(options.max_keys, threads)) {}
MemoryStore::~MemoryStore() = default;

bool MemoryStore::decide(std::span<const Check> checks, Instant now, std::span<Decision> decisions) {
  if (checks.size() == 1) return stripes_->decide(checks[0], now, decisions[0]);
  if (checks.size() > kMaxRulesPerRequest) {
    std::ranges::fill(decisions, Decision{});
    return false;
  }
  Merged merged;
  merge(
      checks, [](const Check& a, const Check& b) { return a.hash == b.hash; }, merged);
  return stripes_->decide(merged, now, decisions);
}

void MemoryStore::give_back(std::span<const Check> checks, Instant now) {
  if (checks.size() > kMaxRulesPerRequest) return;  // decide() took nothing
  boost::container::static_vector<Check, kMaxRulesPerRequest> returned;
  for (const Check& check : checks) {
    returned.push_back(check);
    returned.back().cost = check.cost > 0 ? -check.cost : 0;
    returned.back().how = How::take;
  }
  std::array<Decision, kMaxRulesPerRequest> ignored;
  decide(std::span(returned.data(), returned.size()), now, std::span(ignored.data(), returned.size()));
}

// Prefetches the counter of `hash`. The builtin is called here, because GCC omits calls of functions that only
// prefetch.
void MemoryStore::expect(const Hash& hash) const noexcept {
  __builtin_prefetch(stripes_->all[stripes_->index(hash)]->table.place_of(hash), 1);
}

std::size_t MemoryStore::keys() const noexcept {
  std::size_t sum = 0;
  for (const auto& stripe : stripes_->all) {
    const std::lock_guard guard(stripe->mutex);
    sum += stripe->table.size();
  }
  return sum;
}

std::uint64_t MemoryStore::evicted_keys() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& stripe : stripes_->all) {
    const std::lock_guard guard(stripe->mutex);
    sum += stripe->table.evicted();
  }
  return sum;
}

void MemoryStore::save(Instant now, const std::function<void(const SavedCounter&)>& tell) const {
  constexpr std::size_t kSlice = 128;
  std::vector<std::pair<std::uint16_t, SavedCounter>> slice;
  auto names = stripes_->limits.names();
  for (const auto& stripe : stripes_->all) {
    for (std::size_t from = 0; true; from += kSlice) {
      slice.clear();
      {
        const std::lock_guard guard(stripe->mutex);
        const auto slots = stripe->table.slots();
        if (from >= slots.size()) break;
        for (const auto& slot : slots.subspan(from, std::min(kSlice, slots.size() - from)))
          if (slot.full_at > now) append_saved(slot, slice);
      }
      for (auto& [limit, counter] : slice) {
        if (limit >= names.size()) names = stripes_->limits.names();  // a limit was added in the meantime
        counter.limit = names[limit];
        tell(counter);
      }
    }
  }
}

MemoryStore::Restored MemoryStore::restore(const SavedCounter& counter, Instant now) {
  const Algorithm* const algorithm = find_algorithm(counter.algorithm);
  if (algorithm == nullptr || !algorithm->refills || algorithm->state_version != counter.state_version)
    return Restored::unknown_algorithm;
  const auto limit = stripes_->limits.named(counter.limit);
  Stripe& stripe = *stripes_->all[stripes_->index(counter.hash)];
  const std::lock_guard guard(stripe.mutex);
  if (counter.full_at <= now || stripe.table.find(counter.hash) != nullptr) return Restored::known;
  CounterSlot& slot = stripe.table.insert(counter.hash, limit, now, counter.first);
  slot.algorithm = algorithm_mark(*algorithm);
  std::copy_n(counter.numbers.begin(), slot.state.numbers.size(), slot.state.numbers.begin());
  if (counter.logs)
    slot.state.log = std::make_unique<std::vector<std::int64_t>>(counter.log);
  else
    slot.state.log.set_number(counter.numbers.back());
  stripe.table.note(slot, counter.full_at, counter.spent);
  return Restored::yes;
}

std::size_t MemoryStore::forget(const std::string& limit) {
  constexpr std::size_t kSlice = 512;
  const auto number = stripes_->limits.named(limit);
  std::size_t keys = 0;
  for (const auto& stripe : stripes_->all) {
    for (std::size_t from = 0; true; from += kSlice) {
      const std::lock_guard guard(stripe->mutex);
      if (from >= stripe->table.size()) break;
      keys += stripe->table.forget(number, from, kSlice);
    }
  }
  return keys;
}

std::vector<LimitKeys> MemoryStore::keys_by_limit() const {
  // The counts are summed before the names are read, so that every count has its name. A limit that is added in the
  // meantime is left out.
  std::vector<KeyTable::Count> sums;
  for (const auto& stripe : stripes_->all) {
    const std::lock_guard guard(stripe->mutex);
    const auto counts = stripe->table.counts();
    if (counts.size() > sums.size()) sums.resize(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      sums[i].tracked += counts[i].tracked;
      sums[i].keys += counts[i].keys;
      sums[i].evicted += counts[i].evicted;
    }
  }
  std::vector<std::string> names = stripes_->limits.names();
  std::vector<LimitKeys> keys;
  keys.reserve(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i)
    keys.push_back(
        {.limit = std::move(names[i]), .tracked = sums[i].tracked, .keys = sums[i].keys, .evicted = sums[i].evicted});
  std::ranges::sort(keys, {}, &LimitKeys::limit);
  return keys;
}

}  // namespace headgate::limit
