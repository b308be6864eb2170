#pragma once
// The interface of an algorithm: a name, a validity check of its rule, and one step of pure arithmetic. This is the
// extension point of the limiter: each src/limit/algorithms/<name>.cpp defines one algorithm, and
// lua/algorithms/<name>.lua is the same step for Redis. Used by the limit stores, redis, config and admin.

#include "headgate/limit/limit.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::limit {

/// The reason why a rule is invalid, and what to write instead: whole sentences without a final full stop, as in
/// LiteralError.
struct RuleFault {
  std::string message;
  std::string help;
};

/// Eight bytes that hold one of two things: the log of an algorithm that records each request, or one more number for
/// any other algorithm. Initially the number 0.
class LogOrNumber {
 public:
  using Log = std::vector<std::int64_t>;
  LogOrNumber() noexcept = default;
  LogOrNumber(LogOrNumber&& other) noexcept : raw_(std::exchange(other.raw_, 0)) {}
  LogOrNumber& operator=(LogOrNumber&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  LogOrNumber& operator=(std::unique_ptr<Log> log) noexcept {
    const std::unique_ptr<Log> before(get());
    raw_ = reinterpret_cast<std::uintptr_t>(log.release());
    return *this;
  }
  ~LogOrNumber() { delete get(); }

  /// Returns the log; null if this is a number.
  Log* get() const noexcept { return (raw_ & 1U) != 0 ? nullptr : reinterpret_cast<Log*>(raw_); }  // NOLINT(*-to-ptr)
  Log* operator->() const noexcept { return get(); }
  Log& operator*() const noexcept { return *get(); }
  bool operator==(std::nullptr_t) const noexcept { return get() == nullptr; }

  /// Returns the number, which is 0 or more and below 2^63. Must not be called for a log.
  std::int64_t number() const noexcept { return static_cast<std::int64_t>(raw_ >> 1U); }
  void set_number(std::int64_t number) noexcept { raw_ = (static_cast<std::uintptr_t>(number) << 1U) | 1U; }

 private:
  static_assert(alignof(Log) > 1 && sizeof(std::uintptr_t) == sizeof(std::int64_t));
  std::uintptr_t raw_ = 0;
};

/// The state of one counter in memory. A default-constructed state means "never used". Each algorithm defines the
/// meaning of the numbers.
struct State {
  std::array<std::int64_t, 3> numbers{};
  LogOrNumber log;
};

/// Integers that describe a counter before anything is taken from it. For counters with the same history, peek() and
/// the Lua code return the same integers.
inline constexpr std::size_t kMaxWords = 4;
using Words = std::array<std::int64_t, kMaxWords>;

/// The effect that a check would have.
struct Outcome {
  bool allowed = false;
  /// True if the stored state is wrong because a clock was set back or a rule changed, so that commit() must be called
  /// even if nothing is taken.
  bool stale = false;
  Words words{};  ///< integers of the counter; the first Algorithm::words of them go into the reply
};

/// How a cost is committed:
/// - `none` takes nothing.
/// - `take` takes the cost, or everything left if that is less.
/// - `debt` takes all of the cost, even below zero. The counter then grants nothing until the debt is paid back.
/// - `attempt` takes the cost of a rejected request, if the rule counts rejected requests. Like `take`, except that
///   windows and logs count the whole cost, and forget it after at most two periods.
enum class CommitMode { none, take, debt, attempt };

/// The strings of one script call. Reuses the strings of the previous call.
class ArgumentList {
 public:
  explicit ArgumentList(std::vector<std::string>& out) noexcept : out_(out) {}
  void add(std::string_view text) { next().append(text); }
  void add(std::integral auto number) { next() = std::to_string(number); }
  /// Adds an empty string and returns it, so that the caller can append to it. Valid until the next call.
  std::string& next();
  /// Drops strings that are left over from the previous call.
  void finish() { out_.resize(used_); }

 private:
  std::vector<std::string>& out_;
  std::size_t used_ = 0;
};

/// An algorithm: a constant with static storage. All functions are pure: no clock, no I/O, no exceptions except
/// bad_alloc. Any thread.
struct Algorithm {
  std::string_view name;  ///< name in configurations, and name of the algorithm's .cpp and .lua files
  std::size_t words;      ///< number of integers in the script's reply for one counter
  /// Whether a gateway may use permits up to a second after it took them, without letting through one request too many.
  /// False for an algorithm that records the moment of each request.
  bool leasable;
  /// Whether permits come back one by one at the rate of the rule. If so, the wait of a rejected cost can be computed
  /// from the wait of a lower cost, and the moment at which each part of a debt is paid back is known.
  bool even = false;
  /// Whether a cost may be given back after other requests have taken more. False for an algorithm that records each
  /// moment: giving back would remove the latest moments, which belong to the other requests.
  bool gives_back_late = true;
  /// Whether permits come back with time, so that a rejected caller can be told how long to wait. False for requests in
  /// flight, because each request returns its own permit, and for a balance, to which an operator adds.
  bool refills = true;
  /// Whether the algorithm counts by days or months of a time zone if the rule has a calendar.
  bool by_calendar = false;
  /// Whether the stored state ends with the period that it was counted in. If so, rules with different periods cannot
  /// share a counter, because the shorter period would end the counts of the longer one.
  bool by_window = false;
  /// Increases when the numbers of State change their meaning, so that a new process does not take over the state of
  /// another version.
  std::uint32_t state_version = 1;

  /// Returns the burst of a rule for which the configuration has none. The rule's rate, wait and calendar are set.
  std::uint64_t (*default_burst)(const Rule& rule);

  /// Returns a fault if the algorithm cannot represent the rule's numbers exactly. All other functions require a rule
  /// without fault.
  std::optional<RuleFault> (*check)(const Rule& rule);

  /// Returns the meaning of the rule: "100 requests a minute on average, 100 at once". `noun` is " requests", which is
  /// written after the first count, or empty if the preceding text has named the requests.
  std::string (*meaning)(const Rule& rule, std::string_view noun);

  /// Returns the effect of taking `cost` at `now`. A cost of 0 only reads, and a negative cost gives back.
  Outcome (*peek)(const State& state, const Rule& rule, std::int64_t cost, Instant now);

  /// Takes `cost` as `mode` says; a negative cost gives back. With `none`, only stores the state as peek() has
  /// corrected it. Returns the moment at which the state equals that of an unused counter.
  Instant (*commit)(State& state, const Rule& rule, std::int64_t cost, CommitMode mode, Instant now,
                    const Outcome& outcome);

  /// Returns the decision for the caller. `mode` is the mode with which `cost` was committed. `words` may come from
  /// Redis; the result is empty if peek() cannot have returned these words.
  std::optional<Decision> (*decision)(const Rule& rule, std::int64_t cost, CommitMode mode,
                                      std::span<const std::int64_t> words);

  /// Appends the arguments that the algorithm's .lua file describes. `now` is the clock of this gateway, used only for
  /// what Redis cannot know (a calendar).
  void (*arguments)(const Check& check, Instant now, ArgumentList& out);
};

/// The algorithm of limits that name none, and of the gateway's own rules.
inline constexpr std::string_view kDefaultAlgorithm = "token_bucket";

/// Returns all algorithms, sorted by name.
std::span<const Algorithm* const> algorithms() noexcept;

/// Returns the algorithm with this name, or null.
const Algorithm* find_algorithm(std::string_view name) noexcept;

}  // namespace headgate::limit
