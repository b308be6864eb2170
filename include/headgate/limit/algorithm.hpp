#pragma once
// What an algorithm is: a name, a check of its rule, and one step of pure arithmetic. The plug-in point of the limiter:
// each src/limit/algorithms/<name>.cpp defines one, and lua/algorithms/<name>.lua is the same step for Redis.

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
#include <vector>

namespace headgate::limit {

/// Why a rule cannot be kept, and what to write instead. Whole sentences without a final dot, as in LiteralError.
struct RuleFault {
  std::string message;
  std::string help;
};

/// What an algorithm remembers of one counter in memory; as made, it means "never used". The numbers are the
/// algorithm's own.
struct State {
  std::array<std::int64_t, 3> numbers{};
  std::unique_ptr<std::vector<std::int64_t>>
      log;  ///< for an algorithm that must remember each request; null costs nothing
};

/// Integers an algorithm says of one counter before anything is taken. Peek here and in Lua give the same for the same
/// history.
inline constexpr std::size_t kMaxWords = 4;
using Words = std::array<std::int64_t, kMaxWords>;

/// What would happen.
struct Outcome {
  bool allowed = false;
  bool stale = false;  ///< what is stored is wrong (a clock that stepped back, a changed rule): commit even where
                       ///< nothing is taken
  Words words{};       ///< the first Algorithm::words of these are the reply's
};

/// Whether a cost is taken: `yes` takes it, or what there is where that is less; `debt` takes all of it, below nothing
/// where there is less, to be worked off before anything is granted again.
enum class Taken { no, yes, debt };

/// Collects the strings of one script call, reusing those of the call before.
class ArgumentList {
 public:
  explicit ArgumentList(std::vector<std::string>& out) noexcept : out_(out) {}
  void add(std::string_view text) { next().append(text); }
  void add(std::integral auto number) { next() = std::to_string(number); }
  /// An empty string at the end, to append to; valid until the next call.
  std::string& next();
  /// Drops what was left over from the call before.
  void finish() { out_.resize(used_); }

 private:
  std::vector<std::string>& out_;
  std::size_t used_ = 0;
};

/// One algorithm. Constants with static storage; all functions are pure (no clock, no I/O, no exceptions but
/// bad_alloc), any thread.
struct Algorithm {
  std::string_view name;  ///< as users write it; also the name of its .cpp and its .lua
  std::size_t words;      ///< integers of the script's reply each of its counters takes
  /// Whether what was taken may be used a second later without a request too many: not where each moment is recorded.
  bool leasable;
  /// Whether what was taken comes back bit by bit at the rule's rate: of two refused costs the higher waits longer by
  /// just what the difference takes, and after a debt it is known when each part of it has been worked off.
  bool even = false;
  /// Whether what was taken may be given back after others have taken more: not where each moment is recorded, for the
  /// latest ones would be theirs.
  bool gives_back_late = true;

  /// The burst where the user writes none; rate, wait and calendar are set.
  std::uint64_t (*usual_burst)(const Rule& rule);

  /// Whether the rule's numbers can be kept exactly; nothing where they can. All other functions presume that.
  std::optional<RuleFault> (*check)(const Rule& rule);

  /// What the rule means: "100 requests a minute on average, 100 at once". `noun` follows each first count: "
  /// requests", or nothing where that was said already.
  std::string (*meaning)(const Rule& rule, std::string_view noun);

  /// What taking `cost` at `now` would do: 0 looks, below 0 gives back.
  Outcome (*peek)(const State& state, const Rule& rule, std::int64_t cost, Instant now);

  /// Takes `cost` as `taken` says; below 0 gives back, `no` writes what peek found right. Returns when the state is as
  /// if never used.
  Instant (*commit)(State& state, const Rule& rule, std::int64_t cost, Taken taken, Instant now,
                    const Outcome& outcome);

  /// What to tell of it; `taken` says how `cost` was committed. The words may come from Redis: nothing where no
  /// peek could have said them.
  std::optional<Verdict> (*verdict)(const Rule& rule, std::int64_t cost, Taken taken,
                                    std::span<const std::int64_t> words);

  /// The arguments its .lua describes. `now` is this gateway's clock: only for what Redis cannot know (a calendar).
  void (*arguments)(const Rule& rule, std::int64_t cost, Instant now, ArgumentList& out);
};

/// All algorithms there are, sorted by name.
std::span<const Algorithm* const> algorithms() noexcept;

/// The algorithm users call `name`, or null.
const Algorithm* find_algorithm(std::string_view name) noexcept;

}  // namespace headgate::limit
