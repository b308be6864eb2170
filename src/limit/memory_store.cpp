#include "headgate/limit/memory_store.hpp"

#include "key_table.hpp"
#include "limit_numbers.hpp"
#include "merge.hpp"
#include "spin_mutex.hpp"

#include "headgate/limit/algorithm.hpp"

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

constexpr std::size_t kMostStripes = 64;      // one bit each in a StripeSet
constexpr std::size_t kKeysPerStripe = 4096;  // fewer would let chance fill one stripe long before the others
// A caller may come this late with the time it read. One still later means that the clock was set back, and is
// followed, or counters would stand still for as long as it was set back.
constexpr Duration kLatest = std::chrono::seconds(10);

using StripeSet = std::uint64_t;

struct alignas(64) Stripe {
  explicit Stripe(std::size_t bound) : table(bound) {}

  /// The time to count by: never earlier than what another caller counted by here, or its taking would be undone.
  Instant clock(Instant now) noexcept {
    if (now >= latest || latest - now > kLatest) latest = now;
    return latest;
  }

  SpinMutex mutex;
  Instant latest{};
  KeyTable table;
};

/// One counter of a call, while its stripe is locked.
struct Question {
  const Ask* ask;
  Stripe* stripe;
  Instant now;
  Slot* slot;  ///< null: never used, or forgotten
  Outcome outcome;
  Taken taken = Taken::no;
};
using Questions = boost::container::static_vector<Question, kMaxRulesPerRequest>;

Question look(const Ask& ask, Stripe& stripe, Instant now) {
  Question question{&ask, &stripe, stripe.clock(now), stripe.table.find(ask.hash), {}, Taken::no};
  const Algorithm& algorithm = *ask.rule->algorithm;
  // The configuration may have given the limit another algorithm since: its state means nothing to this one.
  if (question.slot != nullptr && question.slot->algorithm != algorithm_mark(algorithm)) question.slot->state = State();
  static const State never_used;
  const State& state = question.slot != nullptr ? question.slot->state : never_used;
  question.outcome = algorithm.peek(state, *ask.rule, ask.cost, question.now);
  return question;
}

Verdict verdict_of(const Question& question, Instant now) {
  const Ask& ask = *question.ask;
  const std::span words(question.outcome.words.data(), ask.rule->algorithm->words);
  Verdict verdict = ask.rule->algorithm->verdict(*ask.rule, ask.cost, question.taken, words).value_or(Verdict{});
  if (const Duration behind = question.now - now;
      behind > Duration(0)) {  // the caller's clock has this much further to go
    if (verdict.retry_after > Duration(0) && verdict.retry_after != kNever) verdict.retry_after += behind;
    if (verdict.reset_after > Duration(0)) verdict.reset_after += behind;
  }
  tell(ask, verdict);
  return verdict;
}

bool writes(const Question& question) noexcept {
  if (question.outcome.stale) return true;
  if (question.taken == Taken::no || question.ask->cost == 0) return false;
  return question.slot != nullptr ||
         question.ask->cost > 0;  // nothing can be given back to a counter that is not there
}

void write(Question& question, const Verdict& verdict, LimitNumbers& limits) {
  const Ask& ask = *question.ask;
  KeyTable& table = question.stripe->table;
  Slot& slot = question.slot != nullptr ? *question.slot : table.insert(ask.hash, limits.of(*ask.rule), question.now);
  const Algorithm& algorithm = *ask.rule->algorithm;
  slot.algorithm = algorithm_mark(algorithm);
  const Instant full_at =
      algorithm.commit(slot.state, *ask.rule, ask.cost, question.taken, question.now, question.outcome);
  table.note(slot, full_at, verdict.remaining == 0);
}

}  // namespace

struct MemoryStore::Stripes {
  explicit Stripes(std::size_t max_keys)
      : count(std::bit_floor(std::clamp<std::size_t>(max_keys / kKeysPerStripe, 1, kMostStripes))) {
    all.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      all.push_back(std::make_unique<Stripe>(std::max<std::size_t>(max_keys / count, 1)));
  }

  std::size_t index(const Ask& ask) const noexcept { return (ask.hash.high >> 32) & (count - 1); }

  using Locks = boost::container::static_vector<std::unique_lock<SpinMutex>, kMaxRulesPerRequest>;

  /// Always in ascending order, so that two callers never wait for each other.
  Locks lock(std::span<const Ask> questions) {
    StripeSet set = 0;
    for (const Ask& ask : questions) {
      set |= StripeSet{1} << index(ask);
      all[index(ask)]->table.prefetch(ask.hash);
    }
    Locks locks;
    for (; set != 0; set &= set - 1) locks.emplace_back(all[static_cast<std::size_t>(std::countr_zero(set))]->mutex);
    return locks;
  }

  bool decide(const Ask& ask, Instant now, Verdict& verdict) {
    Stripe& stripe = *all[index(ask)];
    stripe.table.prefetch(ask.hash);
    const std::lock_guard guard(stripe.mutex);
    Question question = look(ask, stripe, now);
    const bool through = !refuses(ask, question.outcome.allowed);
    question.taken = takes(ask, through, question.outcome.allowed);
    verdict = verdict_of(question, now);
    if (writes(question)) write(question, verdict, limits);
    return through;
  }

  bool decide(const Merged& merged, Instant now, std::span<Verdict> verdicts) {
    const Locks locks = lock({merged.questions.data(), merged.questions.size()});
    Questions questions;
    bool through = true;
    for (const Ask& ask : merged.questions) {
      questions.push_back(look(ask, *all[index(ask)], now));
      through = through && !refuses(ask, questions.back().outcome.allowed);
    }
    boost::container::static_vector<Verdict, kMaxRulesPerRequest> answers;
    for (Question& question : questions) {
      question.taken = takes(*question.ask, through, question.outcome.allowed);
      answers.push_back(verdict_of(question, now));
    }
    for (const bool known : {true, false})  // those known come first: an insert moves the slots of its stripe
      for (std::size_t i = 0; i < questions.size(); ++i)
        if ((questions[i].slot != nullptr) == known && writes(questions[i])) write(questions[i], answers[i], limits);
    for (std::size_t i = 0; i < merged.question_of.size(); ++i) verdicts[i] = answers[merged.question_of[i]];
    return through;
  }

  std::size_t count;
  std::vector<std::unique_ptr<Stripe>> all;
  LimitNumbers limits;
};

MemoryStore::MemoryStore(MemoryOptions options) : stripes_(std::make_unique<Stripes>(options.max_keys)) {}
MemoryStore::~MemoryStore() = default;

bool MemoryStore::decide(std::span<const Ask> asks, Instant now, std::span<Verdict> verdicts) {
  if (asks.size() == 1) return stripes_->decide(asks[0], now, verdicts[0]);
  if (asks.size() > kMaxRulesPerRequest) {
    std::ranges::fill(verdicts, Verdict{});
    return false;
  }
  Merged merged;
  merge(
      asks, [](const Ask& a, const Ask& b) { return a.hash == b.hash; }, merged);
  return stripes_->decide(merged, now, verdicts);
}

void MemoryStore::give_back(std::span<const Ask> asks, Instant now) {
  if (asks.size() > kMaxRulesPerRequest) return;  // decide() took nothing
  boost::container::static_vector<Ask, kMaxRulesPerRequest> returned;
  for (const Ask& ask : asks) {
    returned.push_back(ask);
    returned.back().cost = ask.cost > 0 ? -ask.cost : 0;
    returned.back().how = How::take;
  }
  std::array<Verdict, kMaxRulesPerRequest> ignored;
  decide(std::span(returned.data(), returned.size()), now, std::span(ignored.data(), returned.size()));
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

std::vector<LimitKeys> MemoryStore::keys_by_limit() const {
  // The numbers are summed before the names are read: a limit that is new meanwhile is left out, and none lacks its
  // name.
  std::vector<KeyTable::Count> sums;
  for (const auto& stripe : stripes_->all) {
    const std::lock_guard guard(stripe->mutex);
    const auto counts = stripe->table.counts();
    if (counts.size() > sums.size()) sums.resize(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      sums[i].tracked += counts[i].tracked;
      sums[i].evicted += counts[i].evicted;
    }
  }
  std::vector<std::string> names = stripes_->limits.names();
  std::vector<LimitKeys> keys;
  keys.reserve(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i)
    keys.push_back({.limit = std::move(names[i]), .tracked = sums[i].tracked, .evicted = sums[i].evicted});
  std::ranges::sort(keys, {}, &LimitKeys::limit);
  return keys;
}

}  // namespace headgate::limit
