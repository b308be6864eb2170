#pragma once
// The candidate policy: it decides about the same requests as the active policy, with counters of its own. Its
// decisions are only compared and never affect a request.

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

namespace headgate::http {
class BodyLook;
}

namespace headgate::envoy {
struct RateLimitRequest;
}

namespace headgate::gateway {

struct Exchange;
struct Path;
struct Problem;
struct CandidateExchange;

/// The counters of a candidate. Shared by all workers, and kept over a reload. Any thread.
struct CandidateState {
  explicit CandidateState(std::size_t keys) : max_keys(keys), memory({.max_keys = keys}) {}

  const std::size_t max_keys;  ///< maximum number of keys in `memory`
  limit::MemoryStore memory;
  limit::BanTable bans;
  room::MemoryRooms rooms;
  shed::WaitQueues flights;
};

/// The decisions of both policies about one request.
enum class Compared : std::uint8_t {
  both_allowed,
  both_refused,
  hit,    ///< only the candidate would refuse the request
  freed,  ///< only the active policy refused the request
  undecided,
  count
};
inline constexpr WordsOf<Compared> kComparedWords({"both_allowed", "both_refused", "hit", "freed", "undecided"});

/// The reason why a request was not compared.
enum class Undecided : std::uint8_t {
  /// the active gateway ended the request for a reason outside all policies, such as overload, an operator or the
  /// client
  live,
  queue,  ///< the request would wait for a permit in flight
  redis,  ///< the candidate's Redis did not answer
  token,  ///< the decision needs a token that the active gateway has not verified
  /// the decision needs a value in the request's body, which the active gateway has not read, or which is longer than
  /// the candidate reads
  body,
  busy,  ///< too many calls to the candidate's Redis, or too many of the candidate's exchanges, are under way
  bug,
  count
};
inline constexpr WordsOf<Undecided> kUndecidedWords({"live", "queue", "redis_down", "token", "body", "too_many",
                                                     "bug"});

/// The name under which refusals are counted that no limit caused, such as an unknown route or a wrong credential.
inline constexpr std::string_view kNoLimit = "-";

/// The candidate of one worker; that worker's thread only. Exchanges refer to the candidate through their snapshot, so
/// the candidate lives until the last of these exchanges has ended.
///
/// The candidate decides about a request after the active policy has decided, when the request is forwarded or refused.
/// No request waits for the candidate, and the candidate throws nothing.
class Candidate : public std::enable_shared_from_this<Candidate> {
 public:
  /// Maximum number of concurrent calls to Redis. While the maximum is reached, further requests are not decided.
  static constexpr std::size_t kMaxCalls = 256;
  /// Maximum number of concurrent exchanges that the candidate follows until they end. While the maximum is reached,
  /// further requests are not decided.
  static constexpr std::size_t kMaxExchanges = 10'000;

  /// `parts` has the configuration of the candidate and the credentials of the active configuration, but neither
  /// counters nor servers. `clock`, `random` and `registry` outlive this object.
  Candidate(Clock& clock, Random& random, std::shared_ptr<CandidateState> state, Snapshot parts,
            std::shared_ptr<const CompiledConfig> live, observe::Registry& registry, observe::Writer worker);
  ~Candidate();
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;

  /// Replaces the parts of the candidate, or the active configuration that it is compared with.
  void adopt(Snapshot parts, std::shared_ptr<const CompiledConfig> live);
  /// Replaces the overrides.
  void use_overrides(std::shared_ptr<const OverrideTable> overrides);
  const std::shared_ptr<CandidateState>& state() const noexcept { return state_; }

  /// Evaluates the request under the candidate policy. Call it when the active policy has decided. `refused` is the
  /// refusal of the active policy; null if it has not refused the request.
  void decided(Path& live, Exchange& x, const Problem* refused) noexcept;
  /// Does the same for a call of the rate limit service, after the active policy has decided about `request`.
  void decided_call(const Path& live, const Exchange& x, const envoy::RateLimitRequest& request,
                    const Problem* refused) noexcept;
  /// Takes over the gRPC status and the costs of an answer. Call it when the head of a server's answer has arrived.
  /// `x.candidate` is not null.
  static void answered(Exchange& x) noexcept;
  /// Returns the observer of the answer's body that reads the candidate's costs, or null if there is none. Call it
  /// after answered(), and keep the observer as long as the body is read, because the candidate may be done with the
  /// request before that. `x.candidate` is not null.
  static std::shared_ptr<http::BodyLook> look_at_answer(const Exchange& x) noexcept;
  /// Runs the last steps of the evaluation. Call it when the exchange has ended. `x.candidate` is not null.
  static void ended(Exchange& x) noexcept;

  /// Returns the keys that only one of the two policies refused since the last call. `rejected` has the keys that only
  /// the candidate refused, and `allowed` has the keys that only the active policy refused.
  std::vector<observe::LimitSketches> take_keys();
  /// Stops the background work. No request is decided afterwards.
  void stop();

 private:
  friend struct CandidateExchange;
  static constexpr std::size_t kMaxSpare = 256;  ///< most exchanges that are kept for reuse
  /// The counters of one limit and tier, of either policy.
  struct Row {
    std::array<observe::Counter*, 4> by{};  ///< indexed by Compared; `undecided`, the last value, has no counter here
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
  static Task<void> decide_call(std::shared_ptr<Candidate> self, CandidateExchange& asked);
  Task<void> decide_descriptors(CandidateExchange& asked);
  void admitted(CandidateExchange& asked);
  void conclude(CandidateExchange& asked);
  void no_answer(CandidateExchange& asked, Undecided why);
  void keep(CandidateExchange& asked);
  static void keep_costs(CandidateExchange& asked);
  static void note_kept_costs(CandidateExchange& asked);
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
  observe::Registry unseen_;  ///< the metrics of the candidate's own exchanges; never read
  observe::WorkerTops hit_{1};
  observe::WorkerTops freed_{2};
  std::map<std::pair<std::string, std::string>, Row> rows_;
  std::array<observe::Counter*, kComparedWords.size()> totals_{};
  std::array<observe::Counter*, kUndecidedWords.size()> reasons_{};
  std::shared_ptr<const CompiledConfig> live_;
  std::vector<Row*> live_rows_;  ///< indexed by CompiledTier::number
  std::vector<Row*> own_rows_;   ///< indexed by CompiledTier::number
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
