// Sliding log: stores the moment of every request of the last period. So no period has more requests than the count,
// whenever the period begins. lua/algorithms/sliding_log.lua is the same arithmetic and explains it.

#include "../window_rules.hpp"

#include <vector>

namespace headgate::limit {
namespace {

// the log of State: ascending microseconds since the epoch, one for each request
using Log = std::vector<std::int64_t>;

enum Number : std::size_t {
  kDead,
  kOwed
};  // the numbers of State: number of expired entries at the front of the log; requests owed
enum Word : std::size_t { kUsed, kWait, kReset };

constexpr std::int64_t kMaxRemembered = 10'000;  // 80 kB for each key

/// The moments of all taken requests, ascending. The moments of the log come first. If there is a debt, these are
/// followed by the moments at which the debt takes the places that become free. Each of these moments is a period after
/// the entry that is `count` entries before it.
class Sequence {
 public:
  Sequence(const State& state, const Rule& rule, Instant now) noexcept
      : now_(now.time_since_epoch().count()), period_(rule.rate.period.count()), count_(count_of(rule)) {
    if (state.log == nullptr) return;
    log_ = state.log->data();
    size_ = last_ = static_cast<std::int64_t>(state.log->size());
    first_ = state.numbers[kDead];
    total_ = size_ + state.numbers[kOwed];
    if (total_ > size_ && size_ - first_ < count_) fill();
    dead_ = first_not(first_, total_, now_ - period_);
  }

  std::int64_t dead() const noexcept { return dead_; }  ///< number of expired moments at the front
  std::int64_t used() const noexcept { return total_ - dead_; }
  std::int64_t owed() const noexcept { return total_ - size_; }
  /// Returns the number of moments at the front that are `now` or earlier; at least the size of the log.
  std::int64_t due() const noexcept { return first_not(last_, total_, now_); }
  /// Returns whether the log must be rewritten, because a clock was ahead or the count was lower.
  bool stale() const noexcept { return last_ > size_ || (used() > 0 && size_ > 0 && log_[size_ - 1] > now_); }

  /// Returns a moment. An entry of a clock that was ahead counts as `now`.
  std::int64_t at(std::int64_t index) const noexcept {
    if (index < size_) return std::min(log_[index], now_);
    if (index < last_) return now_;
    const std::int64_t turn = (index - last_) / count_;
    const std::int64_t place = last_ - count_ + (index - last_) % count_;
    const Duration ahead = times(Duration(period_), turn + 1);
    return (place < size_ ? std::min(log_[place], now_) : now_) + ahead.count();
  }
  /// Returns the time until the entry at `index` expires.
  std::int64_t until_gone(std::int64_t index) const noexcept { return at(index) + period_ - now_; }

 private:
  /// Takes the places that are free now for the debt, because the count was lower when the debt was made.
  void fill() noexcept {
    first_ = std::upper_bound(log_ + first_, log_ + size_, now_ - period_) - log_;
    last_ = std::min(total_, size_ + std::max<std::int64_t>(count_ - (size_ - first_), 0));
  }

  /// Returns the index of the first entry from `begin` on that is later than `moment`.
  std::int64_t first_not(std::int64_t begin, std::int64_t end, std::int64_t moment) const noexcept {
    while (begin < end) {
      const std::int64_t middle = begin + (end - begin) / 2;
      if (at(middle) <= moment)
        begin = middle + 1;
      else
        end = middle;
    }
    return begin;
  }

  const std::int64_t* log_ = nullptr;
  std::int64_t now_;
  std::int64_t period_;
  std::int64_t count_;
  std::int64_t first_ = 0;  // first entry of the log
  std::int64_t size_ = 0;   // size of the log
  std::int64_t last_ = 0;   // the moments of the future begin here
  std::int64_t total_ = 0;
  std::int64_t dead_ = 0;
};

std::int64_t period_of(const Rule& rule) noexcept { return rule.rate.period.count(); }

/// Moves the valid entries to the front if that makes enough room for `more` entries at the end. The log has room for a
/// sixteenth more than the count, so each entry is moved at most sixteen times.
void make_room(Log& log, std::int64_t& dead, std::size_t more, std::size_t count) {
  if (log.size() + more <= log.capacity()) return;
  const std::size_t live = log.size() - static_cast<std::size_t>(dead);
  const std::size_t most = count + count / 16 + 1;
  if (dead > 0 && (log.size() + more > most || live < log.capacity() / 2)) {
    log.erase(log.begin(), log.begin() + dead);
    dead = 0;
  }
  if (log.size() + more > log.capacity())
    log.reserve(std::max(log.size() + more, std::min(std::max<std::size_t>(2 * log.capacity(), 4), most)));
}

std::optional<RuleFault> check(const Rule& rule) {
  if (rule.rate.count > static_cast<std::uint64_t>(kMaxRemembered) &&
      rule.rate.count <= static_cast<std::uint64_t>(kMaxCounted))
    return RuleFault{"a sliding_log remembers each request: " + to_text(rule.rate) + " would take " +
                         size_text(rule.rate.count * sizeof(std::int64_t)) + " a key",
                     "write at most " + std::to_string(kMaxRemembered) +
                         " requests a period, or use sliding_window, which takes the same few bytes for any count"};
  return check_clock_window(rule, "sliding_log");
}

std::string meaning(const Rule& rule, std::string_view noun) {
  return "at most " + std::to_string(rule.rate.count).append(noun) + " in " + any_period(rule) + ", exactly";
}

Outcome peek(const State& state, const Rule& rule, std::int64_t cost, Instant now) {
  const Sequence all(state, rule, now);
  const std::int64_t used = all.used();
  const std::int64_t count = count_of(rule);
  Outcome outcome;
  outcome.allowed = allows(cost, count - used);
  outcome.words[kUsed] = used;
  if (used == 0) {
    if (cost > 0 && cost <= count && 2 * cost > count) outcome.words[kWait] = period_of(rule);
    return outcome;
  }
  outcome.stale = all.stale();
  outcome.words[kReset] = all.until_gone(all.dead() + used - 1);
  const bool taken_anyway = outcome.allowed || (rule.count_rejected && used <= count);
  if (!taken_anyway && cost <= count) {
    outcome.words[kWait] = all.until_gone(all.dead() + used + cost - count - 1);
  } else if (const std::int64_t gone = used + 2 * bounded(cost) - count;
             taken_anyway && cost > 0 && cost <= count && gone > 0) {
    outcome.words[kWait] = gone > used ? period_of(rule) : all.until_gone(all.dead() + gone - 1);
  } else if (const std::int64_t left = used + std::max(bounded(cost), -used); cost < 0 && left > 0) {
    outcome.words[kWait] = all.until_gone(all.dead() + left - 1);
  }
  return outcome;
}

/// Adds the due part of a debt to the log, and returns the debt that remains.
std::int64_t settle(State& state, const Rule& rule, Instant now) {
  if (state.numbers[kOwed] == 0) return 0;
  const Sequence all(state, rule, now);
  const std::int64_t due = all.due();
  auto log = std::make_unique<Log>();
  for (std::int64_t i = all.dead(); i < due; ++i) log->push_back(all.at(i));
  const std::int64_t owed = all.used() - static_cast<std::int64_t>(log->size());
  state.log = std::move(log);
  state.numbers[kDead] = 0;
  return owed;
}

struct Left {
  Used used;
  std::int64_t added;  ///< number of entries to add to the log
};

/// Returns the use after `cost`. The newest attempts displace the oldest entries, so the log does not grow. Beyond the
/// count (in debt, or after the limit became smaller) an attempt adds nothing.
Left after_taking(const Rule& rule, std::int64_t before, std::int64_t cost, CommitMode mode) noexcept {
  const std::int64_t count = count_of(rule);
  if (mode == CommitMode::attempt) {
    const std::int64_t added = before > count ? 0 : std::min(cost, count);
    return {{std::max(before, std::min(before + added, count)), 0}, added};
  }
  const Used used = after_cost({before, 0}, cost, count - before, mode);
  return {used, std::max<std::int64_t>(used.used - before, 0)};
}

Instant commit(State& state, const Rule& rule, std::int64_t cost, CommitMode mode, Instant now,
               const Outcome& outcome) {
  const std::int64_t moment = now.time_since_epoch().count();
  const std::int64_t before = outcome.words[kUsed];
  const auto [used, added] = after_taking(rule, before, cost, mode);
  if (added == 0 && used.used == before && used.owed == 0 && !outcome.stale)
    return now + Duration(outcome.words[kReset]);
  if (used == Used{}) {
    state = State();
    return now;
  }
  const std::int64_t still_owed = settle(state, rule, now);
  const std::int64_t back = std::max<std::int64_t>(before - used.used, 0);
  const std::int64_t forgiven = std::min(back, still_owed);
  if (state.log == nullptr) state.log = std::make_unique<Log>();
  Log& log = *state.log;
  state.numbers[kDead] = static_cast<std::int64_t>(log.size()) - (before - still_owed);
  state.numbers[kOwed] = std::min(still_owed - forgiven + used.owed, kMaxCounted);
  if (outcome.stale) std::fill(std::upper_bound(log.begin(), log.end(), moment), log.end(), moment);
  if (added > 0) {
    state.numbers[kDead] += before + added - used.used;
    const auto more = static_cast<std::size_t>(added);
    make_room(log, state.numbers[kDead], more, rule.rate.count);
    log.insert(log.end(), more, moment);
  } else {
    log.resize(log.size() - static_cast<std::size_t>(back - forgiven));
  }
  const Sequence all(state, rule, now);
  return now + Duration(all.until_gone(all.dead() + all.used() - 1));
}

std::optional<Decision> decision(const Rule& rule, std::int64_t cost, CommitMode mode,
                                 std::span<const std::int64_t> words) {
  const std::int64_t before = words[kUsed];
  const std::int64_t count = count_of(rule);
  const Duration period = rule.rate.period;
  // If no more than the count was taken, nothing is owed. Otherwise the end of the debt is at most this many periods
  // ahead.
  const std::int64_t longest = (before <= count ? period : period + times(period, divide_up(before, count))).count();
  if (before < 0 || before > kMaxRemembered + kMaxCounted || words[kWait] < 0 || words[kWait] > longest ||
      words[kReset] < 0 || words[kReset] > longest || (before > 0) != (words[kReset] > 0))
    return std::nullopt;
  const auto [used, added] = after_taking(rule, before, cost, mode);
  Decision decision;
  decision.allowed = allows(cost, count - before);
  decision.limit = rule.rate.count;
  decision.remaining = static_cast<std::uint64_t>(std::max<std::int64_t>(count - used.used - used.owed, 0));
  if (!decision.allowed) decision.retry_after = cost > count ? kNever : std::min(Duration(words[kWait]), kNever);
  if (cost > 0 && decision.allowed && decision.remaining < static_cast<std::uint64_t>(cost))
    decision.again_after = Duration(words[kWait]);
  if (used.owed > 0)  // each period takes at most a full count of the debt
    decision.reset_after = times(period, divide_up(used.used + used.owed, count));
  else
    decision.reset_after = added > 0 ? period : Duration(used.used < before ? words[kWait] : words[kReset]);
  return decision;
}

void arguments(const Check& check, Instant /*now*/, ArgumentList& out) {
  const Rate& rate = check.rule->rate;
  out.add(bounded(check.cost));
  out.add(rate.count);
  out.add(rate.period.count());
}

}  // namespace

extern const Algorithm sliding_log;
const Algorithm sliding_log{.name = "sliding_log",
                            .words = 3,
                            .leasable = false,
                            .gives_back_late = false,
                            .by_window = true,
                            .default_burst = whole_count,
                            .check = check,
                            .meaning = meaning,
                            .peek = peek,
                            .commit = commit,
                            .decision = decision,
                            .arguments = arguments};

}  // namespace headgate::limit
