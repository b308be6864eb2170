#pragma once
// Another policy beside the one that serves: it decides about the same requests, with counters of its own, and what it
// says is only compared.

#include "headgate/core/clock.hpp"
#include "headgate/core/per_enum.hpp"
#include "headgate/core/random.hpp"
#include "headgate/gateway/snapshot.hpp"
#include "headgate/limit/ban_table.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/observe/limit_top.hpp"
#include "headgate/observe/metrics.hpp"
#include "headgate/room/memory_rooms.hpp"
#include "headgate/shed/wait_queues.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::gateway {

struct Exchange;
struct Path;
struct Problem;
struct CandidateExchange;

/// What a candidate has counted. Shared by all workers; a reload keeps it. Any thread.
struct CandidateState {
  explicit CandidateState(std::size_t keys) : max_keys(keys), memory({.max_keys = keys}) {}

  const std::size_t max_keys;  ///< of `memory`
  limit::MemoryStore memory;
  limit::BanTable bans;
  room::MemoryRooms rooms;
  shed::WaitQueues flights;
};

/// What both policies made of one request.
enum class Compared : std::uint8_t {
  both_allowed,
  both_refused,
  hit,    ///< only the candidate would refuse it
  freed,  ///< only the live policy refused it
  undecided,
  count
};
inline constexpr WordsOf<Compared> kComparedWords({"both_allowed", "both_refused", "hit", "freed", "undecided"});

/// Why a request was not compared.
enum class Undecided : std::uint8_t {
  live,   ///< the live gateway ended it for a reason that no policy decides: too much load, an operator, its client
  queue,  ///< it would wait for a permit in flight
  redis,  ///< the candidate's Redis does not answer
  token,  ///< it is decided by a token that the live gateway has not verified
  busy,   ///< too many calls to the candidate's Redis, or too many of its requests, are under way
  bug,
  count
};
inline constexpr WordsOf<Undecided> kUndecidedWords({"live", "queue", "redis_down", "token", "too_many", "bug"});

/// Refusals without a limit are counted under this name: no route, credentials.
inline constexpr std::string_view kNoLimit = "-";

/// Of one worker; its thread only. Exchanges hold it by their snapshot, so it lives until the last of them has ended.
///
/// A request is asked about when the live policy has decided: when it goes on to its answer, or is refused. Nothing
/// waits for the candidate, and nothing of it throws.
class Candidate : public std::enable_shared_from_this<Candidate> {
 public:
  /// Calls to Redis at once; what comes beyond them is not decided.
  static constexpr std::size_t kMaxCalls = 256;
  /// Requests at once that have something left to do at their end; what comes beyond them is not decided.
  static constexpr std::size_t kMaxExchanges = 10'000;

  /// `parts` is the candidate's, with the credentials of the live configuration, without counters and without servers.
  /// Clock, random and registry outlive it.
  Candidate(Clock& clock, Random& random, std::shared_ptr<CandidateState> state, Snapshot parts,
            std::shared_ptr<const CompiledConfig> live, observe::Registry& registry, observe::Writer worker);
  ~Candidate();
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;

  /// The same candidate with other parts, or beside another live configuration.
  void adopt(Snapshot parts, std::shared_ptr<const CompiledConfig> live);
  /// Other overrides of the same parts.
  void use_overrides(std::shared_ptr<const OverrideTable> overrides);
  const std::shared_ptr<CandidateState>& state() const noexcept { return state_; }

  /// The live policy has decided; `refused`: what it says, or null.
  void decided(Path& live, Exchange& x, const Problem* refused) noexcept;
  /// The head of a server's answer is there. `x.candidate` is not null.
  static void answered(Exchange& x) noexcept;
  /// The exchange has ended. The same.
  static void ended(Exchange& x) noexcept;

  /// The keys that only one of the two refused since the last call: in `rejected` those that the candidate hits, in
  /// `allowed` those that it frees.
  std::vector<observe::TakenTop> take_keys();
  /// Stops the work in the background. Nothing is decided any more.
  void stop();

 private:
  friend struct CandidateExchange;
  static constexpr std::size_t kMaxSpare = 256;  ///< exchanges that are kept for the next requests
  /// One limit and tier, of either policy.
  struct Row {
    std::array<observe::Counter*, 4> by{};  ///< by Compared
    observe::LimitTop* hit = nullptr;
    observe::LimitTop* freed = nullptr;
  };
  struct Said;
  class Lent;

  Row& row(std::string_view limit, std::string_view tier);
  Row& row_of(const CompiledTier& tier, const std::string& limit, const std::vector<Row*>& rows, bool known);
  std::vector<Row*> rows_of(const CompiledConfig& compiled);
  SnapshotPtr complete(Snapshot parts);
  Said said_of(const Exchange& x, const Problem* refused, bool own);
  Said said_of_live(const Path& live, const Exchange& x, const Problem* refused);

  void decide(Path& live, Exchange& x, const Problem* refused);
  void ask(CandidateExchange& asked);
  static Task<void> call_redis(std::shared_ptr<Candidate> self, CandidateExchange& asked);
  void admitted(CandidateExchange& asked);
  void conclude(CandidateExchange& asked);
  void no_answer(CandidateExchange& asked, Undecided why);
  void keep(CandidateExchange& asked);
  void compare(const Said& live, const Exchange& y, const Said& own);
  void undecided(Undecided why);
  void told_bug() noexcept;
  static void note_end(CandidateExchange& asked) noexcept;
  static void note_status_of_answer(CandidateExchange& asked);
  void leave(CandidateExchange& asked);
  CandidateExchange* take();
  void release(CandidateExchange& asked) noexcept;
  void release_if_done(CandidateExchange& asked) noexcept;

  std::shared_ptr<CandidateState> state_;
  observe::Registry& registry_;
  const observe::Writer worker_;
  observe::Registry unseen_;  ///< what the path counts of its own exchanges
  observe::WorkerTops hit_{1};
  observe::WorkerTops freed_{2};
  std::map<std::pair<std::string, std::string>, Row> rows_;
  std::array<observe::Counter*, kComparedWords.size()> totals_{};
  std::array<observe::Counter*, kUndecidedWords.size()> reasons_{};
  std::shared_ptr<const CompiledConfig> live_;
  std::vector<Row*> live_rows_;  ///< by CompiledTier::number
  std::vector<Row*> own_rows_;   ///< the same
  struct Log;
  std::unique_ptr<Log> log_;
  std::unique_ptr<Path> path_;
  std::vector<std::unique_ptr<CandidateExchange>> made_;
  std::vector<CandidateExchange*> free_;
  std::size_t calls_ = 0;
  bool stopped_ = false;
  bool bug_told_ = false;
};

}  // namespace headgate::gateway
