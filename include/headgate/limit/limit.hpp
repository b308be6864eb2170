#pragma once
// The types of the limiter: a limit, a rule, a check and a decision. config fills limits and rules; gateway fills
// checks.

#include "headgate/core/hash.hpp"
#include "headgate/core/literals.hpp"
#include "headgate/core/time.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {
struct KeySource;  // what reads one part of a key from a request: not looked into here
}

namespace headgate::limit {

struct Algorithm;  // limit/algorithm.hpp
class Calendar;    // limit/calendar.hpp

/// One part of the key. A limit has a list of these; their values together are the key. Requests with one key share a
/// counter.
struct Per {
  const gateway::KeySource* source = nullptr;  ///< never null in a loaded configuration
  std::string name;                            ///< of the header (lower case), claim, cookie or path parameter; else ""
  bool operator==(const Per&) const = default;
};

/// What one permit stands for, in words for people and programs. It changes no decision.
enum class Unit : std::uint8_t { request, token };

/// One rate of a limit. Immutable once the configuration is loaded.
struct Rule {
  std::string limit;        ///< name of the limit it belongs to
  std::string name;         ///< within the limit; empty for the only rule, else its rate's text ("30/hour")
  Rate rate;                ///< rate.count requests in each rate.period
  std::uint64_t burst = 1;  ///< maximum at once, at least 1; the algorithm's default_burst if the user writes none
  Duration wait{0};         ///< longest delay of a request that waits for its permit; 0: reject at once
  std::uint32_t queue = 0;  ///< in flight with `wait`: how many requests of a key may wait in this process
  std::shared_ptr<const Calendar> calendar;  ///< set if it counts by the days or months of a time zone; else null
  bool from_first_use = false;               ///< a fixed window begins with a key's first request, not with the clock
  bool leases = false;                       ///< whether a gateway may take permits from Redis ahead, in batches
  const Algorithm* algorithm = nullptr;      ///< never null in a loaded configuration
  bool count_rejected = false;               ///< whether a request that a limit rejects takes permits as well
  bool glitches = false;                     ///< what it counts is no requests
  Unit unit = Unit::request;                 ///< that of its limit
  std::uint32_t version = 1;                 ///< of the limit's counters; another one begins them anew
  /// End of its Redis keys; see name_rule(). A change of size does not change it, so the counter keeps what was used.
  std::string suffix;
  std::uint64_t seed = 0;  ///< stable_hash(suffix): separates its keys in memory from those of other rules
};

/// "100/minute", or "1000 tokens/minute": a rate with what its permits stand for, where that is not requests.
std::string amount_in_words(const Rule& rule);

/// Whether the period is part of the counters' names also where it need not be. Yes if a tier or a rate added later
/// must not rename the other counters.
enum class PeriodInKey : bool { no, yes };

/// Fills name, suffix and seed of `rule`, from its limit, rate, algorithm, calendar and version. `one_of_several`: its
/// tier has several rates.
///
/// The suffix is ":<limit>", and then what makes a counter's value unreadable to a rule with another: ":<period>" if
/// `period` or `one_of_several` say so and for every window, ":<time zone>" of a calendar, ":<algorithm>" of all but
/// kDefaultAlgorithm, ":glitches" if it counts those, ":v<version>" beyond 1. So two configurations at once never
/// overwrite each other's counters.
void name_rule(Rule& rule, bool one_of_several, PeriodInKey period);

enum class Mode { enforce, observe };  ///< observe: counted and shown, rejects nobody
enum class Store { memory, redis };    ///< where the counters are
enum class IfRedisDown { allow, reject, count_locally };

/// What happens to a caller without a key.
struct IfAbsent {
  static constexpr std::size_t kMaxInstead = 8;
  /// A key that replaces a missing one begins with a byte that no field can contain. The byte says which replacement it
  /// is, so that nobody can use another caller's budget with a value that looks like an address.
  static constexpr std::array<std::string_view, kMaxInstead> kMarks{"\x01", "\x02", "\x03", "\x04",
                                                                    "\x05", "\x06", "\x07", "\x08"};
  enum class Last { unset, skip, reject };
  std::vector<std::vector<Per>> instead;  ///< other keys to count by: the first that the caller has
  Last last = Last::unset;                ///< if it has none of them either
  unsigned status = 0;                    ///< of a rejection: 400 to 499; 0: the one that fits the missing part
};

/// One of several sizes of a limit.
struct Tier {
  std::string name;         ///< empty for the only tier of a limit without tiers
  std::vector<Rule> rules;  ///< all must allow the request; empty: unlimited
};

/// When a key is suspended, and for how long. A suspended key is refused before anything is counted.
struct BanPolicy {
  /// Counts the offences of a key: the one that takes the last permit of its burst suspends the key. Its limit is the
  /// name under which the key is suspended.
  Rule offences;
  /// The statuses of the answers that are offences, sorted; empty: a rejection of the limit is one.
  std::vector<unsigned> statuses;
  Duration first{0};      ///< the first suspension; each later one lasts twice as long
  Duration longest{0};    ///< at least `first`; earlier suspensions are forgotten after this time
  unsigned status = 429;  ///< of the refusal: 400 to 499
  bool closes = false;    ///< a suspended caller gets no answer: its connection is closed, or its stream reset
  std::string detail;     ///< what a suspended caller is told: a sentence; empty: the usual one
};

/// How a limit hands out appointments: a rejected request reserves the next permits, and is told when to come back.
struct AppointmentTerms {
  Duration ahead{0};  ///< the latest beginning of an appointment, from now
  Duration width{0};  ///< how long it may be kept, from its beginning
  bool operator==(const AppointmentTerms&) const = default;
};

/// A named policy. All rules of the caller's tier must allow the request.
struct Limit {
  std::string name;
  std::vector<Per> per;
  std::vector<Tier> tiers;       ///< at least one
  std::optional<Per> tier_from;  ///< where the tier's name comes from: a claim, an API key's record, a header of a
                                 ///< trusted hop
  std::size_t default_tier = 0;  ///< index; for a caller whose tier is missing or unknown
  Unit unit = Unit::request;
  Mode mode = Mode::enforce;
  Store store = Store::memory;
  IfRedisDown if_redis_down = IfRedisDown::count_locally;
  /// The part of its size that this gateway grants alone while Redis is down; up 0: one of all gateways' parts.
  std::uint32_t alone_up = 0;
  std::uint32_t alone_down = 1;
  IfAbsent if_absent;
  /// The statuses of the answers that are counted, sorted; empty: every request is. What a request takes is held until
  /// its answer, and given back if the answer does not count.
  std::vector<unsigned> counted_statuses;
  /// Rejected requests take permits as well: those that it rejects, and those that another limit rejects after it, or
  /// in the same call.
  bool count_rejected = false;
  /// Counts what clients of HTTP/2 do without need, in place of requests, and suspends those that do too much of it.
  bool glitches = false;
  /// Counts the messages that a caller sends in a call of gRPC, each as a request.
  bool messages = false;
  std::optional<BanPolicy> ban;                  ///< not set: nobody is suspended
  std::uint32_t version = 1;                     ///< of its counters: another one begins all of them anew
  std::uint32_t shards = 1;                      ///< how many counters each key has in Redis; see limit/shards.hpp
  std::optional<AppointmentTerms> appointments;  ///< none: it hands out none
  bool bill = false;                             ///< what its keys use is summed for each day; see limit/ledger.hpp
  /// Of a fixed window: the percentages of its size, rising, of which an operator is told when a key reaches them.
  std::vector<unsigned> notify_at;
};

/// What a check takes, and what happens if its rule rejects.
enum class How : std::uint8_t {
  take,     ///< all or nothing with the other checks of its call; a rejection here rejects the call
  observe,  ///< never rejects the call; takes if the call passes and this rule allows it
  /// Never rejects the call; takes what is left, up to the cost. The request has passed already.
  charge,
  /// Never rejects the call; takes all of the cost, also below zero. The counter grants nothing until the debt is paid
  /// back at the rule's rate.
  debt
};

/// One check in a store: may `cost` more be taken from this rule's counter of this key? Views live as long as the call
/// that takes them.
struct Check {
  const Rule* rule = nullptr;
  /// The joined values of the limit's `per`: any bytes, at most 256 (longer ones are hashed before).
  std::string_view key;
  Hash hash;              ///< keyed_hash(key, rule->seed): names the counter in this process
  std::int64_t cost = 1;  ///< requests; 0 only looks (always allowed), below 0 gives back
  How how = How::take;
  /// Who holds the permit, of a rule that counts requests in flight in Redis: unique to the request; else empty.
  std::string_view token = {};
  /// Of the same, with `wait`. 0: the request does not stand in the queue, and takes no permit before those that do.
  /// Else it does, and has waited for so many ms less one.
  std::uint32_t waited = 0;
  /// Of all checks of a call, or of none. The call then answers what it would answer without, and changes nothing:
  /// nothing is taken, no key is created, no time to live changes, and nobody is told a wait that later decisions count
  /// on.
  bool peek = false;

  bool operator==(const Check&) const = default;
};

/// Returns whether a call with these checks changes nothing (Check::peek).
inline bool is_peek(std::span<const Check> checks) noexcept { return !checks.empty() && checks.front().peek; }

/// The retry_after of a cost above the burst: no wait helps it. A hundred years, so that adding it to a time cannot
/// overflow.
inline constexpr Duration kNever = std::chrono::hours(24) * 36'525;

/// The decision of one rule. `allowed` is for this rule alone. Nothing was taken unless every rule of the call allowed
/// it (for exceptions see How).
struct Decision {
  bool allowed = false;
  std::uint64_t limit = 0;      ///< maximum that can be taken at once from an unused counter (the burst)
  std::uint64_t remaining = 0;  ///< whole requests left after the decision
  Duration retry_after{0};      ///< if rejected: the shortest wait until the same cost is allowed, or kNever; else 0
  Duration reset_after{0};      ///< until the counter is again as if never used
  Duration delay{0};            ///< if allowed: how long the request must wait for its permit, at most the rule's wait
  /// If it took its cost and left too little for the same once more: the shortest wait until that is allowed; else 0.
  Duration again_after{0};

  bool operator==(const Decision&) const = default;
};

/// Returns whether to tell the caller `a` rather than `b`. A rejection comes before an allowed decision. Of two
/// rejections, the one with the longer retry_after: both rules allow only after that wait. Of two allowed decisions,
/// the one with the smaller share of its limit left; if equal, the one with the longer reset_after.
bool binds_before(const Decision& a, const Decision& b) noexcept;

/// The decision that comes first by binds_before(). Null for no decisions. The result points into `decisions`.
const Decision* binding(std::span<const Decision> decisions) noexcept;

/// Maximum number of rules for one request (all limits of its route together). A configuration with more is invalid.
inline constexpr std::size_t kMaxRulesPerRequest = 32;

}  // namespace headgate::limit
