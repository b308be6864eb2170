// Limits, and how routes use them.

#include "config/table_shapes.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/in_flight.hpp"
#include "headgate/limit/quota.hpp"
#include "headgate/limit/shards.hpp"

namespace headgate::config {
namespace {

constexpr Shape kRate{.form = Form::rate, .what = "a rate"};
constexpr Shape kRates = list("a list of rates", kRate, 1, 8);
constexpr const Shape* kRateForms[] = {&kRate, &kRates};
constexpr Shape kRateOrRates = either("a rate or a list of rates", kRateForms);
constexpr Shape kBurst = integer(1, 1'000'000'000);
constexpr std::string_view kRateDoc =
    "How much: a count, a slash and a period, as in `100/minute`, `300/5m` or `200000/month`; all rates of a list "
    "apply";
constexpr std::string_view kBurstDoc =
    "Maximum number of requests at once, the bucket's size; the default depends on the algorithm: for a token bucket "
    "the rate's count";
constexpr std::string_view kWaitDoc =
    "Maximum delay of a request until its permit is available; default: it is rejected at once";

constexpr Shape kFlightQueueLength = integer(1, limit::kMaxFlightQueue);
constexpr std::string_view kQueueDoc =
    "With `in_flight` and `wait`: how many requests of one key may wait on a gateway, first come first served; "
    "default: "
    "as many as may be in flight";
constexpr Shape kFlights = integer(1, 1'000'000'000);
constexpr std::string_view kInFlightDoc =
    "How many requests at the same time, in place of `rate`: a permit is held from the admission of a request to its "
    "end";

constexpr std::string_view kTierSizes[] = {"rate", "in_flight"};
constexpr Key kTierKeys[] = {
    {"rate", &kRateOrRates, "", R"("60/minute")", kRateDoc},
    {"in_flight", &kFlights, "", "20", kInFlightDoc},
    {"burst", &kBurst, "", "100", kBurstDoc},
    {"wait", &kDuration, "", R"("500ms")", "As the limit's `wait`, for this tier"},
    {"queue", &kFlightQueueLength, "", "100", "As the limit's `queue`, for this tier"},
    {"priority", &kPriorityShape, "", R"("critical")",
     "Priority of requests in this tier, see `routes[].priority`; of several limits with priorities, the first in the "
     "route counts"},
};
constexpr Section kTier{.name = "tier",
                        .path = "limits.<name>.tiers.<name>",
                        .doc = "One size of a limit, or `\"unlimited\"`.",
                        .keys = kTierKeys,
                        .one_of = kTierSizes};
constexpr Shape kTierObject = section(kTier);
constexpr Shape kTierWord = choice(kUnlimited);
constexpr const Shape* kTierForms[] = {&kTierObject, &kTierWord};
constexpr Shape kTierShape = either("an object or \"unlimited\"", kTierForms);
constexpr Shape kTiers = map("an object of tiers by name", kTierShape, 1);
constexpr Shape kTierFrom{
    .form = Form::text, .what = "what names the tier", .check = check_tier_from, .registered = tier_words};
constexpr Shape kTierName = text("a tier's name");

constexpr Shape kKeyOwner = text("a known key's owner");
constexpr Shape kKeyOwners = list("a list of known keys' owners", kKeyOwner, 1);
constexpr Shape kExemptNetworks = list("a list of address blocks", kNetwork, 1, 1024);
constexpr Key kExemptKeys[] = {
    {"api_key", &kKeyOwners, "", R"(["internal-batch"])",
     "Owners of known keys, as `identity.api_key.keys` and its `file` name them"},
    {"client_ip", &kExemptNetworks, "", R"(["10.9.0.0/16"])", "Addresses of clients"},
};
constexpr Section kExempt{"exempt", "limits.<name>.exempt", "Callers that a limit does not apply to.", kExemptKeys};
constexpr Shape kExemptShape = section(kExempt);

constexpr Shape kCountedStatus = integer(100, 599);
constexpr Shape kCountedStatuses = list("a list of statuses", kCountedStatus, 1, 64);
constexpr Key kCountKeys[] = {
    {"status", &kCountedStatuses, "", "[401, 403]", "Statuses of the answers that count", required},
};
constexpr Section kCount{"count", "limits.<name>.count", "Which answers a limit counts.", kCountKeys};
constexpr Shape kCountShape = section(kCount);

constexpr Shape kBanAfter = integer(1, 1'000);
constexpr Shape kBanAnswer = integer(400, 499);
constexpr Key kBanKeys[] = {
    {"after", &kBanAfter, "", "20", "How many offences within `within` suspend a key", required},
    {"within", &kDuration, "1m", R"("1m")", "The time within which they count"},
    {"for", &kDuration, "", R"("10m")",
     "How long the first suspension lasts; each later one lasts twice as long as the one before", required},
    {"at_most", &kDuration, "24h", R"("24h")",
     "The longest suspension, at most 31 days; a key that was not suspended for so long begins with `for` again"},
    {"status", &kCountedStatuses, "", "[401, 403]",
     "An answer with one of these statuses is an offence; default: a rejection by this limit is one"},
    {"answer", &kBanAnswer, "429", "403", "Status of the refusal; it always has a `Retry-After`"},
};
constexpr Section kBan{"ban", "limits.<name>.ban", "When a key is suspended, and for how long.", kBanKeys};
constexpr Shape kBanShape = section(kBan);

constexpr Shape kNotifyPart = text("a share", check_part);
constexpr Shape kNotifyParts = list("a list of shares", kNotifyPart, 1, limit::kMaxNotifyAt);

constexpr Shape kPer = text("what to count by", check_per);
constexpr Shape kPers = list("a list of what to count by", kPer, 1, 8);
constexpr const Shape* kPerForms[] = {&kPer, &kPers};
constexpr Shape kPerOrPers{
    .form = Form::either, .what = "what to count by, or a list of that", .registered = per_words, .forms = kPerForms};
constexpr Shape kAbsent = text("what to do", check_if_absent);
constexpr Shape kAbsentStatus = integer(400, 499);
constexpr Key kAbsentKeys[] = {
    {"reject", &kAbsentStatus, "", "403", "Status of the refusal; 401 adds `WWW-Authenticate`", required},
};
constexpr Section kAbsentReject{"reject_with", "limits.<name>.if_absent", "A refusal with a status of its own.",
                                kAbsentKeys};
constexpr Shape kAbsentObject = section(kAbsentReject);
constexpr const Shape* kAbsentOneForms[] = {&kAbsent, &kPers, &kAbsentObject};
constexpr Shape kAbsentOne = either("what to do, or a list of what to count by together", kAbsentOneForms);
constexpr Shape kAbsentChain = list("a list of what to try in turn", kAbsentOne, 1, limit::IfAbsent::kMaxInstead + 1);
constexpr const Shape* kAbsentForms[] = {&kAbsent, &kAbsentChain, &kAbsentObject};
constexpr Shape kIfAbsent = either("\"skip\", \"reject\", or what to count by instead", kAbsentForms);
constexpr Shape kAlgorithm{.form = Form::choice, .what = "an algorithm", .registered = algorithm_names};
constexpr Shape kZone = text("a time zone");
constexpr Shape kMode = choice(kModes);
constexpr Shape kStore = choice(kStores);
constexpr Shape kLeasesShape = choice(kLeases);
constexpr Shape kShards = integer(2, limit::kMaxShards);
constexpr Shape kVersion = integer(1, 1'000'000'000);
constexpr Key kAppointmentKeys[] = {
    {"ahead", &kDuration, "5m", R"("5m")", "The latest beginning of an appointment, from now"},
    {"width", &kDuration, "10s", R"("10s")", "How long an appointment can be kept after its beginning"},
};
constexpr Section kAppointments{"appointments", "limits.<name>.appointments", "When a rejected request may come back.",
                                kAppointmentKeys};
constexpr Shape kAppointmentsObject = section(kAppointments);
constexpr const Shape* kAppointmentsForms[] = {&kBoolean, &kAppointmentsObject};
constexpr Shape kAppointmentsShape = either("true, false or an object", kAppointmentsForms);
constexpr Key kLimitKeys[] = {
    {"rate", &kRateOrRates, "", R"("100/minute")", kRateDoc},
    {"in_flight", &kFlights, "", "20", kInFlightDoc},
    {"burst", &kBurst, "", "200", kBurstDoc},
    {"per", &kPerOrPers, "", R"("client_ip")", "Who shares one counter: {words}, or a list of these", required},
    {"tiers", &kTiers, "", R"({ "free": { "rate": "60/minute" }, "pro": { "rate": "3000/minute" } })",
     "Tiers by name, in place of `rate`: each has its `rate` or `in_flight`, or is `\"unlimited\"`"},
    {"tier_from", &kTierFrom, "", R"("jwt.plan")",
     "What names a caller's tier: {words}. Of an API key it is the known key's `tier`; a header field is accepted only "
     "from trusted proxies"},
    {"default_tier", &kTierName, "", R"("free")", "The tier of a caller whose own is missing or unknown"},
    {"algorithm", &kAlgorithm, limit::kDefaultAlgorithm, R"("token_bucket")", "How it counts"},
    {"wait", &kDuration, "", R"("500ms")", kWaitDoc},
    {"queue", &kFlightQueueLength, "", "100", kQueueDoc},
    {"time_zone", &kZone, "", R"("Europe/Vienna")",
     "The zone whose days or months a `fixed_window` of a day or a month counts by; default for a month: UTC"},
    {"store", &kStore, "", R"("memory")",
     "Where it counts; default: `redis` if there is a `redis` block, else `memory`"},
    {"leases", &kLeasesShape, "auto", R"("off")",
     "Whether a gateway may take permits for a busy key from Redis in batches: `auto` if this cannot allow too many "
     "requests, or `off`"},
    {"version", &kVersion, "1", "2", "A version of its counters: with another one than before, all of them begin anew"},
    {"shards", &kShards, "", "8",
     "How many counters a key has in Redis, each with its part of the limit, so that several servers of a cluster "
     "share "
     "the work for a hot key: never more than the limit passes, but a request may be rejected while another part has "
     "permits; default: one, which is exact"},
    {"appointments", &kAppointmentsShape, "false", "true",
     "Whether a rejected request gets an appointment: it reserves the next permits, and passes this limit if it comes "
     "back with it in time; needs `signing`"},
    {"count", &kCountShape, "", R"({ "status": [401, 403] })",
     "Counts only answers with these statuses, so that only failed logins use permits: a request takes its permits "
     "first, and gets them back if its answer does not count; default: every request counts"},
    {"ban", &kBanShape, "", R"({ "after": 20, "within": "1m", "for": "10m" })",
     "Suspends a key after several rejections, or after answers of some statuses: until then all its requests are "
     "refused, before anything is counted"},
    {"bill", &kBoolean, "false", "true",
     "Whether what each key uses is summed for each day in Redis, for bills: see docs/billing.md"},
    {"notify_at", &kNotifyParts, "", R"(["80%", "100%"])",
     "With `fixed_window`: tells the `webhook` when a key has used so much of its quota, once in each period"},
    {"mode", &kMode, "enforce", R"("observe")", "`observe` counts and reports, but rejects nobody"},
    {"exempt", &kExemptShape, "", R"({ "client_ip": ["10.9.0.0/16"] })", "Callers that it does not apply to"},
    {"if_absent", &kIfAbsent, "", R"("client_ip")",
     "What happens to a caller without the key: another key to count by, `skip`, `reject`, or `{\"reject\": 403}`; a "
     "list is tried in turn, as in `[\"api_key\", \"client_ip\"]`, and a list within it counts by its members "
     "together"},
    {"if_redis_down", &kIfDown, "", R"("reject")", "As `redis.if_down`, for this limit"},
};
constexpr std::string_view kSizes[] = {"rate", "in_flight", "tiers"};

// As a route uses it.

constexpr Shape kMethodCost = integer(0, 1'000'000'000);
constexpr Shape kMethodCosts = map("an object of costs by method", kMethodCost, 1, check_method);
constexpr Shape kPositive = integer(1, 1'000'000'000);
constexpr Key kCostKeys[] = {
    {"by_method", &kMethodCosts, "", R"({ "GET": 1, "POST": 5 })", "By the request's method; 0 is free"},
    {"header", &kHeaderName, "", R"("X-Cost")", "What this field of the request says"},
    {"response_header", &kHeaderName, "", R"("X-Tokens-Used")",
     "What this field of the answer says: `hold` is reserved before the request, and corrected when the answer comes"},
    {"otherwise", &kPositive, "1", "1", "With `by_method` and `header`: the cost where they do not say"},
    {"hold", &kPositive, "", "500",
     "With `response_header`: what is reserved first, and charged if the answer does not say"},
    {"most", &kPositive, "", "100000",
     "With `header` and `response_header`, which need it: the maximum; a larger value counts as this"},
    {"debt", &kBoolean, "false", "true",
     "With `response_header`: whether use beyond the permits left is a debt, and requests are rejected until it is "
     "paid off; otherwise it is not charged"},
};
constexpr std::string_view kCostForms[] = {"by_method", "header", "response_header"};
constexpr Section kCost{.name = "cost",
                        .path = "routes[].limits[].cost",
                        .doc = "A cost that depends on the request or its answer.",
                        .keys = kCostKeys,
                        .one_of = kCostForms};
constexpr Shape kCostObject = section(kCost);
constexpr const Shape* kAllCostForms[] = {&kPositive, &kCostObject};
constexpr Shape kCostShape = either("a whole number or an object", kAllCostForms);
constexpr Shape kScale = text("a fraction", check_scale);
constexpr Shape kUsedLimit = text("a limit's name");
constexpr Key kUseKeys[] = {
    {"use", &kUsedLimit, "", R"("per-ip")", "The limit's name", required},
    {"cost", &kCostShape, "1", "10", "How many requests one request counts as: a number, or an object"},
    {"scale", &kScale, "", R"("1/10")",
     "The route gets its own counters, with this fraction or multiple of the limit's size"},
};
constexpr Section kUse{"limit_use", "routes[].limits[]", "A limit with its own cost or size.", kUseKeys};
constexpr Shape kUseObject = section(kUse);
constexpr const Shape* kUseForms[] = {&kUsedLimit, &kUseObject};
constexpr Shape kUseShape = either("a limit's name or an object", kUseForms);

}  // namespace

constexpr Section kLimitSection{.name = "limit",
                                .path = "limits.<name>",
                                .doc = "A named rule: how much, and per whom.",
                                .keys = kLimitKeys,
                                .one_of = kSizes};
constexpr Shape kLimitUses = list("a list of limits", kUseShape, 0);

}  // namespace headgate::config
