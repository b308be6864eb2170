#pragma once
// The types of the limiter: limit, rule, check and decision. config fills limits and rules; gateway fills checks.

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
struct KeySource;  // reads one part of a key from a request; opaque here
}

namespace headgate::limit {

struct Algorithm;  // limit/algorithm.hpp
class Calendar;    // limit/calendar.hpp

/// A part of the key. A limit has a list of these, and their values together are the key. Requests with the same key
/// share a counter.
struct Per {
  const gateway::KeySource* source = nullptr;  ///< source of the part; never null in a loaded configuration
  std::string name;  ///< name of the header (lower case), claim, cookie or path parameter; "" for any other source
  bool operator==(const Per&) const = default;
};

/// The unit of permits, for texts and programs. It does not affect decisions.
enum class Unit : std::uint8_t {
  request,
  token,
  money  ///< micro-units: millionths of the currency of the price file
};

/// A rate of a limit. Immutable once the configuration is loaded.
struct Rule {
  std::string limit;  ///< name of the limit that the rule belongs to
  std::string name;   ///< name within the limit: the text of the rate ("30/hour"); empty for the only rule
  Rate rate;          ///< rate of the rule: rate.count requests in each rate.period
  /// largest number of permits taken at once, at least 1; by default Algorithm::default_burst
  std::uint64_t burst = 1;
  Duration wait{0};  ///< longest delay of a request that waits for its permit; 0 to reject at once
  /// number of requests of a key that may wait in this process; only for requests in flight with `wait`
  std::uint32_t queue = 0;
  /// the calendar whose days or months the rule counts by; null if there is none
  std::shared_ptr<const Calendar> calendar;
  /// true if a fixed window begins with the first request of a key rather than with the clock
  bool from_first_use = false;
  bool leases = false;                   ///< true if a gateway may take permits from Redis in advance, in batches
  std::uint64_t start = 0;               ///< permits of a new key; only for a balance (limit/balance.hpp)
  const Algorithm* algorithm = nullptr;  ///< algorithm of the rule; never null in a loaded configuration
  bool count_rejected = false;           ///< true if a rejected request takes permits as well
  bool glitches = false;                 ///< true if the rule counts glitches rather than requests
  Unit unit = Unit::request;             ///< unit of the limit
  std::uint32_t version = 1;             ///< version of the limit's counters; a new version resets them
  /// End of the rule's Redis keys; see name_rule(). The suffix does not depend on the size, so the counter keeps its
  /// use when the size changes.
  std::string suffix;
  std::uint64_t seed = 0;  ///< stable_hash(suffix); separates the rule's keys in memory from those of other rules
};

/// Returns "100/minute", or "1000 tokens/minute" if the unit is not requests; "balance of tokens" for a balance.
std::string amount_in_words(const Rule& rule);

/// Whether the period is part of the counters' names even if nothing requires it. With `yes`, a tier or rate that is
/// added later does not rename the other counters.
enum class PeriodInKey : bool { no, yes };

/// Fills name, suffix and seed of `rule` from its limit, rate, algorithm, calendar and version. `one_of_several` tells
/// whether its tier has several rates.
///
/// The suffix is ":<limit>", followed by the properties in which two rules must agree to share a counter. Each property
/// is included only under its condition:
/// - ":<period>", if `period` is yes, if `one_of_several`, or if the algorithm counts by window
/// - ":<time zone>", if the rule has a calendar; for months only if the zone is not UTC
/// - ":<algorithm>", if it is not kDefaultAlgorithm and the period is not a month
/// - ":glitches", if the rule counts glitches
/// - ":v<version>", if the version is not 1
///
/// So two configurations in use at the same time never overwrite each other's counters.
void name_rule(Rule& rule, bool one_of_several, PeriodInKey period);

enum class Mode { enforce, observe };  ///< observe counts and shows decisions but rejects nobody
enum class Store { memory, redis };    ///< the place of the counters
enum class IfRedisDown { allow, reject, count_locally };

/// The treatment of a caller that has no key.
struct IfAbsent {
  static constexpr std::size_t kMaxInstead = 8;
  /// The first byte of a key that replaces a missing one, for each element of `instead`; no field can contain these
  /// bytes. They keep the replacements apart, so that nobody can use another caller's budget with a value that looks
  /// like an address.
  static constexpr std::array<std::string_view, kMaxInstead> kMarks{"\x01", "\x02", "\x03", "\x04",
                                                                    "\x05", "\x06", "\x07", "\x08"};
  enum class Last { unset, skip, reject };
  std::vector<std::vector<Per>> instead;  ///< other keys to count by; the first one that the caller has is used
  Last last = Last::unset;                ///< applies if the caller has none of them either
  unsigned status = 0;  ///< status of a rejection: 400 to 499; 0 for the status that fits the missing part
};

/// One of the sizes of a limit.
struct Tier {
  std::string name;         ///< name of the tier; empty for the only tier of a limit without tiers
  std::vector<Rule> rules;  ///< rules that must all allow the request; empty if unlimited
};

/// When and for how long a key is suspended. A suspended key is refused before anything is counted.
struct BanPolicy {
  /// The rule that counts the offences of a key. The offence that takes the last permit of the burst suspends the key,
  /// under the name `offences.limit`.
  Rule offences;
  /// The statuses of answers that are offences, sorted. If empty, a rejection by the limit is an offence.
  std::vector<unsigned> statuses;
  Duration first{0};      ///< length of the first suspension; each later one lasts twice as long
  Duration longest{0};    ///< maximum length, at least `first`; earlier suspensions are forgotten after this time
  unsigned status = 429;  ///< status of the refusal: 400 to 499
  bool closes = false;    ///< true if a suspended caller gets no answer; its connection is closed or its stream reset
  std::string detail;     ///< sentence for a suspended caller; empty for the default text
};

/// The terms of a limit's appointments: a rejected request reserves the next permits and is told when to come back.
struct AppointmentTerms {
  Duration ahead{0};  ///< maximum time from now to the start of an appointment
  Duration width{0};  ///< time from the start of an appointment until it expires
  bool operator==(const AppointmentTerms&) const = default;
};

/// The size of a limit whose count is a number in the caller's credential. The limit has one tier with one rate, whose
/// count applies if there is no such number.
struct SizeFrom {
  Per from;                            ///< a source with SourceTier::value
  std::uint64_t most = 1;              ///< a larger number counts as this one
  std::optional<std::uint64_t> burst;  ///< burst of every size; absent for the algorithm's default
  bool operator==(const SizeFrom&) const = default;
};

/// A named policy. All rules of the caller's tier must allow the request.
struct Limit {
  std::string name;
  std::vector<Per> per;
  std::vector<Tier> tiers;  ///< sizes of the limit, at least one
  /// source of the tier's name: a claim, the record of an API key, a header of a trusted hop
  std::optional<Per> tier_from;
  std::size_t default_tier = 0;       ///< index of the tier for a caller whose tier is missing or unknown
  std::optional<SizeFrom> size_from;  ///< absent if the sizes are those of `tiers`
  Unit unit = Unit::request;
  Mode mode = Mode::enforce;
  Store store = Store::memory;
  IfRedisDown if_redis_down = IfRedisDown::count_locally;
  /// The part of the limit's size that this gateway grants while Redis is down, as the fraction up/down. If up is 0,
  /// each gateway grants an equal part.
  std::uint32_t alone_up = 0;
  std::uint32_t alone_down = 1;
  IfAbsent if_absent;
  /// The statuses of answers that are counted, sorted; empty if every request is. The permits of a request are held
  /// until its answer, and given back if the answer does not count.
  std::vector<unsigned> counted_statuses;
  /// True if rejected requests take permits as well, whether this limit rejects them, or another limit later or in the
  /// same call.
  bool count_rejected = false;
  /// True if the limit counts unnecessary actions of HTTP/2 clients rather than requests, and suspends clients with too
  /// many.
  bool glitches = false;
  /// True if the limit counts each message of a caller in a gRPC call as a request.
  bool messages = false;
  std::optional<BanPolicy> ban;                  ///< rules for suspensions; absent if nobody is suspended
  std::uint32_t version = 1;                     ///< version of the limit's counters; a new version resets all of them
  std::uint32_t shards = 1;                      ///< number of counters of each key in Redis; see limit/shards.hpp
  std::optional<AppointmentTerms> appointments;  ///< terms of appointments; absent if the limit offers none
  /// Status of a rejection because the budget is spent: 429, or 402 so that clients do not try again by themselves. All
  /// other rejections have 429.
  unsigned spent_status = 429;
  bool bill = false;  ///< whether the use of the limit's keys is summed per day; see limit/ledger.hpp
  /// For a fixed window: rising percentages of its size; an operator is notified when a key reaches them.
  std::vector<unsigned> notify_at;
};

/// How a check takes its cost, and what happens if its rule rejects.
enum class How : std::uint8_t {
  /// takes all or nothing together with the other checks of its call; if this rule rejects, the call is rejected
  take,
  observe,  ///< never rejects the call; takes its cost if the call passes and this rule allows it
  /// Never rejects the call; takes as much as is left, up to the cost. For a request that has passed already.
  charge,
  /// Never rejects the call; takes all of the cost, even below zero. The counter grants nothing until the debt is paid
  /// back at the rule's rate.
  debt
};

/// A question to a store: whether `cost` more may be taken from the counter of this rule and key. Views live as long as
/// the call that takes them.
struct Check {
  const Rule* rule = nullptr;
  /// The joined values of the limit's `per`: any bytes, at most 256 (longer values were hashed before).
  std::string_view key;
  Hash hash;              ///< keyed_hash(key, rule->seed): names the counter in this process
  std::int64_t cost = 1;  ///< number of permits; 0 only reads and is always allowed, a negative cost gives back
  How how = How::take;
  /// The holder of the permit, for a rule that counts requests in flight in Redis; unique to the request. Otherwise
  /// empty.
  std::string_view token = {};
  /// For requests in flight with `wait`: one plus the time in ms that the request has waited so far. 0 if the request
  /// is not in the queue; such a request takes no permit before the requests in the queue.
  std::uint32_t waited = 0;
  /// Set for all checks of a call or for none. If set, the call answers as it would without `peek`, but changes
  /// nothing: nothing is taken, no key is created, no time to live changes, and the waits in the answer are not
  /// recorded for later decisions.
  bool peek = false;

  bool operator==(const Check&) const = default;
};

/// Returns whether a call with these checks changes nothing (Check::peek).
inline bool is_peek(std::span<const Check> checks) noexcept { return !checks.empty() && checks.front().peek; }

/// The retry_after of a cost above the burst, which is never allowed. The value is a hundred years, so that adding it
/// to a time cannot overflow.
inline constexpr Duration kNever = std::chrono::hours(24) * 36'525;

/// The decision of one rule. `allowed` is for this rule alone. Nothing was taken unless every rule of the call allowed
/// it (for exceptions see How).
struct Decision {
  bool allowed = false;
  /// false if the rule was not asked, because another one was known to reject; the numbers are then unknown
  bool checked = true;
  /// maximum that can be taken at once from an unused counter (the burst); 0 for a balance, which has no size
  std::uint64_t limit = 0;
  std::uint64_t remaining = 0;  ///< number of whole requests left after the decision
  Duration retry_after{0};  ///< the shortest wait until the same cost is allowed, or kNever; 0 if the cost is allowed
  Duration reset_after{0};  ///< time until the counter equals an unused one
  /// time for which the request must wait for its permit, at most the rule's wait; only valid if allowed
  Duration delay{0};
  /// If the rule took the cost and left too little for the same cost once more, the shortest wait until the same cost
  /// is allowed again; otherwise 0.
  Duration again_after{0};
  std::uint64_t debt = 0;  ///< number of permits below zero; only for a balance

  bool operator==(const Decision&) const = default;
};

/// Returns whether the caller should be told `a` rather than `b`. A rejection comes before an allowed decision. Of two
/// rejections, the one with the longer retry_after comes first, because both rules allow the request only after that
/// wait. Of two allowed decisions, the one with the smaller share of its limit left comes first; if the shares are
/// equal, the one with the longer reset_after. An allowed decision of a balance comes last, because no share is known.
bool binds_before(const Decision& a, const Decision& b) noexcept;

/// Returns the decision that comes first by binds_before(); null if there are none. The result points into `decisions`.
const Decision* binding(std::span<const Decision> decisions) noexcept;

/// Maximum number of rules for one request (all limits of its route together). A configuration with more is invalid.
inline constexpr std::size_t kMaxRulesPerRequest = 32;

}  // namespace headgate::limit
