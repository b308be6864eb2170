#pragma once
// The words of the limiter: what a limit, a rule and one question to a store are. config fills them, gateway asks with
// them.

#include "headgate/core/hash.hpp"
#include "headgate/core/literals.hpp"
#include "headgate/core/time.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::limit {

struct Algorithm;  // limit/algorithm.hpp
class Calendar;    // limit/calendar.hpp

/// Who shares one counter. A limit has a list of these; their values together are the key.
struct Per {
  enum class Kind { client_ip, api_key, jwt_claim, header, cookie, path, method, route, host, upstream, total };
  Kind kind = Kind::client_ip;
  std::string name;  ///< of the header (lower case), claim, cookie or path parameter; else empty
  bool operator==(const Per&) const = default;
};
/// Whether no request lacks it.
constexpr bool always_there(const Per& per) noexcept {
  using Kind = Per::Kind;
  return per.kind != Kind::api_key && per.kind != Kind::jwt_claim && per.kind != Kind::header &&
         per.kind != Kind::cookie && per.kind != Kind::path;
}
std::string to_text(const Per& per);  ///< as a user writes it: "client_ip", "jwt.org_id", "header:X-Tenant"

/// One rate of a limit. Immutable once the configuration is loaded.
struct Rule {
  std::string limit;        ///< name of the limit it belongs to
  std::string name;         ///< within the limit; empty for the only rule, else its rate's text ("30/hour")
  Rate rate;                ///< rate.count requests in each rate.period
  std::uint64_t burst = 1;  ///< most at once, at least 1; the algorithm's usual_burst unless the user says otherwise
  Duration wait{0};         ///< longest a request is held back for its permit; 0: refused at once
  std::shared_ptr<const Calendar> calendar;  ///< where it counts by the days or months of a time zone; else null
  bool leases = false;                       ///< whether a gateway may take from Redis ahead, in batches
  const Algorithm* algorithm = nullptr;      ///< never null in a loaded configuration
  std::string suffix;  ///< end of its Redis keys, ":<limit>" or ":<limit>:<period>": the same after a change of size,
                       ///< so that what was used is carried over
  std::uint64_t seed = 0;  ///< stable_hash(suffix): sets its keys apart in memory
};

/// Whether a rule's counters bear its period in their names: a tier or a rate added later must not rename the others'.
enum class PeriodInKey : bool { no, yes };

/// Fills name, suffix and seed of `rule`, whose limit and rate are set; `one_of_several` rates of its tier.
void name_rule(Rule& rule, bool one_of_several, PeriodInKey period);

enum class Mode { enforce, observe };  ///< observe: counted and shown, rejects nobody
enum class Store { memory, redis };    ///< where the counters are
enum class IfRedisDown { allow, reject, count_locally };

/// What happens to a caller whose key is missing.
struct IfAbsent {
  static constexpr std::size_t kMostInstead = 8;
  enum class Last { unset, skip, reject };
  std::vector<std::vector<Per>> instead;  ///< keys to count by in its place: the first that the caller has
  Last last = Last::unset;                ///< where it has none of them either
  unsigned status = 0;                    ///< of a rejection: 400 to 499; 0: as fits what is missing
};

/// One of several sizes of the same limit.
struct Tier {
  std::string name;         ///< empty for the only tier of a limit without tiers
  std::vector<Rule> rules;  ///< all must agree; empty: unlimited
};

/// A named policy: all rules of the caller's tier must agree.
struct Limit {
  std::string name;
  std::vector<Per> per;
  std::vector<Tier> tiers;       ///< at least one
  std::optional<Per> tier_from;  ///< what names the tier: a claim, an API key's record, a header of a trusted hop
  std::size_t default_tier = 0;  ///< index, for a caller whose tier is missing or unknown
  Mode mode = Mode::enforce;
  Store store = Store::memory;
  IfRedisDown if_redis_down = IfRedisDown::count_locally;
  IfAbsent if_absent;
};

/// What an ask does where its rule refuses, and what it takes.
enum class How : std::uint8_t {
  take,    ///< all or nothing with the others of its call; a refusal here refuses the call
  trial,   ///< never refuses the call; takes where the call goes through and this rule itself allows it
  charge,  ///< never refuses the call; takes what there is, up to the cost: the request has already been let through
  debt     ///< never refuses the call; takes all of the cost, below nothing where there is less: nothing is granted
           ///< again before that is worked off at the rule's rate
};

/// One question to a store: may `cost` more be taken from this rule's counter of this subject?
/// Views live as long as the call that takes them.
struct Ask {
  const Rule* rule = nullptr;
  std::string_view
      subject;  ///< who: the joined values of the limit's `per`; any bytes, at most 256 (longer arrive hashed)
  Hash hash;    ///< keyed_hash(subject, rule->seed): what this process knows the counter by
  std::int64_t cost = 1;  ///< requests; 0 peeks (always allowed), below 0 gives back
  How how = How::take;
};

/// The retry_after of a cost above the burst, which no wait helps. A hundred years, so that adding it to a time is
/// safe.
inline constexpr Duration kNever = std::chrono::hours(24) * 36'525;

/// What one rule says. `allowed` is this rule's own opinion; nothing was taken unless every rule of the call agreed
/// (but see How).
struct Verdict {
  bool allowed = false;
  std::uint64_t limit = 0;      ///< the most that can be taken at once when nothing was used (the burst)
  std::uint64_t remaining = 0;  ///< whole requests left at the moment of the decision (after taking, where taken)
  Duration retry_after{0};      ///< where refused: the least wait until the same cost is allowed, or kNever; else 0
  Duration reset_after{0};      ///< until the counter is as if never used
  Duration delay{0};            ///< where allowed: how long the request must be held back, at most the rule's wait
};

/// Whether a caller is told of `a` rather than of `b`: of a refusal rather than of a grant, and of two refusals of the
/// one with the longer retry_after (only after that wait do both agree); of two grants of the one with the lesser share
/// of its limit left, then of the one full again the later.
bool binds_before(const Verdict& a, const Verdict& b) noexcept;

/// The one of several verdicts that no other binds before. Null for no verdicts. The result points into `verdicts`.
const Verdict* binding(std::span<const Verdict> verdicts) noexcept;

/// Most rules one request can be under (all limits of its route together); `check` refuses a configuration beyond it.
inline constexpr std::size_t kMaxRulesPerRequest = 32;

}  // namespace headgate::limit
