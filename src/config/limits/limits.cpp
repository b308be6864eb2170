// Limits: keys of the file, and the options that they make.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/limits/size_docs.hpp"
#include "config/limits/told_size.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/gateway/each_per.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/identity/network.hpp"
#include "headgate/limit/algorithm.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

constexpr Shape kKeyOwner = text("a known key's owner");
constexpr Shape kKeyOwners = list("a list of known keys' owners", kKeyOwner, 1);
constexpr Shape kExemptNetworks = list("a list of address blocks", kNetwork, 1, 1024);
constexpr Key kExemptKeys[] = {
    {"api_key", &kKeyOwners, "", R"(["internal-batch"])", "Owners of known keys, as named in `identity.api_key`"},
    {"client_ip", &kExemptNetworks, "", R"(["10.9.0.0/16"])", "Client addresses"},
};
constexpr Section kExempt{"exempt", "limits.<name>.exempt", "Callers that a limit does not apply to.", kExemptKeys};
constexpr Shape kExemptShape = section(kExempt);

constexpr Key kCountKeys[] = {
    {"status", &kCountedStatuses, "", "[401, 403]", "Answer statuses that count", required},
};
constexpr Section kCount{"count", "limits.<name>.count", "Answers that a limit counts.", kCountKeys};
constexpr Shape kCountedAnswers = section(kCount);
constexpr std::string_view kCountWords[] = {"glitches", "messages"};
constexpr Shape kCountWord = choice(kCountWords);
constexpr const Shape* kCountForms[] = {&kCountWord, &kCountedAnswers};
constexpr Shape kCountShape = either("`glitches`, `messages`, or an object", kCountForms);

constexpr WordsUpTo<limit::Unit::money> kUnits({"request", "token", "money"});
constexpr Shape kUnit = choice(kUnits);
constexpr Shape kAlgorithm{.form = Shape::Form::choice, .what = "an algorithm", .registered = algorithm_names};
constexpr Shape kZone = text("a time zone");
constexpr Shape kMode = choice(kModes);
constexpr Shape kStore = choice(kStores);
constexpr Shape kLocalPart = text("a fraction", check_scale);
constexpr Shape kWindow = choice(kWindows);
constexpr Shape kLeasesShape = choice(kLeases);
constexpr Shape kSpentStatus = integer(402, 429);
constexpr Shape kVersion = integer(1, 1'000'000'000);
constexpr Key kLimitKeys[] = {
    {"rate", &kLimitRate, "", R"("100/minute")", kLimitRateDoc},
    {"in_flight", &kFlights, "", "20", kInFlightDoc},
    {"balance", &kBalanceOfKeyShape, "", "true",
     "In place of `rate`: what is left for each key does not refill, but is topped up by the admin interface; see "
     "[budgets.md](budgets.md#a-balance-that-is-topped-up)"},
    {"burst", &kBurst, "", "200", kBurstDoc},
    {"per", &kPerOrPers, "", R"("client_ip")",
     "Key to count by: requests with the same value share a counter. {words}, or a list of these", required},
    {"tiers", &kTiers, "", R"({ "free": { "rate": "60/minute" }, "pro": { "rate": "3000/minute" } })",
     R"(Tiers by name, in place of `rate`: each has its own `rate` or `in_flight`, or is `"unlimited"`)"},
    {"tier_from", &kTierFrom, "", R"("jwt.plan")",
     "Source of a caller's tier: {words}. `api_key` means the known key's `tier`; a header field is accepted only from "
     "trusted proxies"},
    {"default_tier", &kTierName, "", R"("free")", "Tier of callers without a known tier"},
    {"algorithm", &kAlgorithm, limit::kDefaultAlgorithm, R"("token_bucket")",
     "Algorithm that counts; see [algorithms.md](algorithms.md)"},
    {"window", &kWindow, "clock", R"("first_use")",
     "When windows of a `fixed_window` begin: at each full period of the `clock`, or at the first request of a key "
     "after its last window (`first_use`)"},
    {"wait", &kDuration, "", R"("500ms")", kWaitDoc},
    {"queue", &kFlightQueueLength, "", "100", kQueueDoc},
    {"time_zone", &kZone, "", R"("Europe/Vienna")",
     "Time zone of a `fixed_window` of a day or a month. Default for a month: UTC"},
    {"store", &kStore, "", R"("memory")",
     "Where the limit counts. Default: `redis` if there is a `redis` block, otherwise `memory`",
     into<&limit::Limit::store>},
    {"leases", &kLeasesShape, "auto", R"("off")",
     "`auto` lets gateways take permits of busy keys from Redis in batches, where this cannot allow too many requests. "
     "`off` never does"},
    {"version", &kVersion, kOfOptions, "2",
     "Version of the counters. All of them start again if it changes to a number not used within the longest period",
     into<&limit::Limit::version>},
    {"shards", &kShards, "", "8",
     "Counters per key in Redis, each with a part of the limit, so that several servers of a cluster share a busy key. "
     "A request may be rejected while another part has permits. Default: one, which is exact"},
    {"appointments", &kAppointmentsShape, "false", "true",
     "Whether a rejected request gets an appointment: it reserves the next permits and passes if it comes back in "
     "time. Needs `signing`"},
    {"count", &kCountShape, "", R"({ "status": [401, 403] })",
     "What uses permits in place of all requests: an object for answers with these statuses (other answers give their "
     "permits back), `glitches` for needless frames of HTTP/2 clients, which `ban` then suspends, or `messages` for "
     "messages that clients send in gRPC calls. Default: every request"},
    {"count_rejected", &kBoolean, kOfOptions, "true",
     "Whether rejected requests use permits too, so that callers who do not slow down stay out",
     into<&limit::Limit::count_rejected>},
    {"unit", &kUnit, kOfOptions, R"("token")",
     "Unit of a permit: `request`, `token` for language models, or `money` in micro-units of the price file's currency",
     into<&limit::Limit::unit>},
    {"spent_status", &kSpentStatus, kOfOptions, "402",
     "Status of a rejection because the budget is spent: 429, or 402, after which clients of language models do not "
     "try again by themselves. Needs `unit` `token` or `money`, or a cost from the answer",
     into<&limit::Limit::spent_status>},
    {"ban", &kBanShape, "", R"({ "after": 20, "within": "1m", "for": "10m" })",
     "Suspends a key after several rejections, or after answers with certain statuses. All its requests are then "
     "refused before anything is counted"},
    {"bill", &kBoolean, kOfOptions, "true",
     "Whether the use of each key is summed per day in Redis, for invoices; see [billing.md](billing.md)",
     into<&limit::Limit::bill>},
    {"notify_at", &kNotifyParts, "", R"(["80%", "100%"])",
     "Shares of a `fixed_window` quota at which the `webhook` is called, once per key and period"},
    {"mode", &kMode, kOfOptions, R"("observe")", "`observe` counts and reports, but rejects nobody",
     into<&limit::Limit::mode>},
    {"exempt", &kExemptShape, "", R"({ "client_ip": ["10.9.0.0/16"] })", "Callers that the limit does not apply to"},
    {"if_absent", &kIfAbsent, "", R"("client_ip")",
     "For callers without the key: another key to count by, `skip`, `reject`, or `{\"reject\": 403}`. The items of a "
     "list are tried in order; a list within it is one combined key"},
    {"if_redis_down", &kIfDown, "", R"("reject")",
     "Like `redis.if_down`, for this limit. Default of a balance: `reject`", into<&limit::Limit::if_redis_down>},
    {"local_part", &kLocalPart, "", R"("1/4")",
     "Part of the limit that each gateway grants while it counts locally because Redis is down. Default: one part of "
     "`redis.instances`"},
};
constexpr std::string_view kSizes[] = {"rate", "in_flight", "tiers", "balance"};

}  // namespace

constexpr Section kLimitSection{.name = "limit",
                                .path = "limits.<name>",
                                .doc = "A named limit: how much, and for whom.",
                                .keys = kLimitKeys,
                                .one_of = kSizes};

namespace {

using gateway::Needs;
using limit::Store;

class LimitBuilder {
 public:
  LimitBuilder(Build& build, const Node& node) : build_(build), report_(build.report), node_(node) {}

  limit::Limit run() {
    out_.name = node_.key;
    out_.store = build_.config.redis ? Store::redis : Store::memory;
    read_choice(find(&build_.root, "redis"), "if_down", kIfRedisDown, out_.if_redis_down);
    fill(&node_, kLimitSection, out_);
    out_.per = build_key(build_, find(&node_, "per"), KeyFor::limiting);
    store();
    local_part();
    build_if_absent(build_, node_, out_.per, out_.if_absent);
    tier_from();
    const Node* counts = text_at(&node_, "count");
    out_.glitches = counts != nullptr && counts->text == kCountWords[0];
    out_.messages = counts != nullptr && counts->text == kCountWords[1];
    build_tiers(build_, node_, out_);
    const bool balance = find(&node_, "balance") != nullptr;
    if (balance) check_key_balance(build_, node_, out_);
    if (!balance) build_shards(build_, node_, out_);
    if (!balance) build_appointments(build_, node_, out_);
    count();
    count_rejected();
    check_unit(build_, node_, out_);
    outlives_the_process();
    exempt();
    if (!balance) build_ban(build_, node_, out_);
    bodies();
    if (!balance) build_notices(build_, node_, out_);
    priorities();
    return std::move(out_);
  }

 private:
  /// A suspension is checked before the body is read, and glitches and messages have no body of their own.
  void bodies() {
    bool reads = false;
    gateway::each_per(out_, [&](const limit::Per& per) { reads = reads || per.source->needs == Needs::body; });
    if (!reads) return;
    const Node* const ban = find(&node_, "ban");
    const Node* const other = ban != nullptr ? ban : out_.glitches || out_.messages ? find(&node_, "count") : nullptr;
    if (other != nullptr)
      report_.error_at_key(code::kConflict, *other,
                           in_quotes(other->key) + " needs a key that is known before the body is read",
                           "remove it, or count by something else than a value in the body");
  }

  void priorities() {
    for (const Node* tier : children(find(&node_, "tiers"), Kind::object)) {
      if (text_at(tier, "priority") == nullptr) continue;
      gateway::TierPriority priority{.limit = out_.name, .tier = tier->key};
      read_choice(tier, "priority", shed::kPriorityWords, priority.priority);
      build_.config.gateway.tier_priorities.push_back(std::move(priority));
    }
  }

  void store() {
    const Node* written = find(&node_, "store");
    if (out_.store == Store::redis && find(&build_.root, "redis") == nullptr) {
      report_.error(code::kUnresolved, *written, "this limit counts in Redis, but there is no \"redis\" block",
                    R"(add "redis": { "url": "redis://127.0.0.1:6379" }, or write "store": "memory")");
    }
    const Node* down = find(&node_, "if_redis_down");
    if (down != nullptr && out_.store == Store::memory) {
      report_.warning_at_key(code::kNoEffect, *down,
                             "\"if_redis_down\" has no effect: this limit counts in this gateway's memory",
                             "remove it");
    }
  }

  void local_part() {
    const Node* written = text_at(&node_, "local_part");
    if (written == nullptr) return;
    if (out_.store == Store::memory || out_.if_redis_down != limit::IfRedisDown::count_locally)
      report_.warning_at_key(code::kNoEffect, *written,
                             "\"local_part\" has no effect: this limit never counts in place of Redis",
                             R"(remove it, or write "if_redis_down": "count_locally")");
    if (const auto part = parse_scale(written->text); part.has_value()) {
      out_.alone_up = part->up;
      out_.alone_down = part->down;
    }
  }

  void tier_from() {
    const Node* written = text_at(&node_, "tier_from");
    if (written == nullptr || find(&node_, "tiers") == nullptr || check_tier_from(written->text)) return;
    const auto& from = out_.tier_from.emplace(*parse_per(written->text));
    check_told_source(build_, *written, from, "tier");
  }

  /// Checks a limit on glitches, which counts by client address and counts no requests.
  void glitches(const Node& written) {
    if (find(&node_, "per") != nullptr &&
        (out_.per.size() != 1 || out_.per.front().source == nullptr || out_.per.front().source->word != "client_ip"))
      report_.error_at_key(code::kConflict, *find(&node_, "per"),
                           "glitches are counted per client address, before any request tells who is calling",
                           R"(write "per": "client_ip")");
    if (find(&node_, "ban") == nullptr)
      report_.error(code::kConflict, written, "this limit rejects no request, so it needs \"ban\"",
                    R"(add "ban": { "after": 1, "within": "1m", "for": "10m" })");
    for (const char* const key :
         {"in_flight", "tiers", "wait", "appointments", "shards", "notify_at", "bill", "if_absent"})
      if (const Node* other = find(&node_, key))
        report_.error_at_key(code::kConflict, *other,
                             in_quotes(key) + " is for requests, and this limit counts glitches", "remove it");
    if (const Node* status = find(find(&node_, "ban"), "status"))
      report_.error_at_key(code::kConflict, *status,
                           "\"status\" is for answers to requests, and this limit counts glitches",
                           "remove it: exceeding the limit is itself the offence");
  }

  /// The permit of a message is taken in the middle of its call, where the gateway can neither wait for it, nor return
  /// it, nor offer a later one.
  void messages() {
    for (const char* const key : {"wait", "appointments", "shards", "bill"})
      if (const Node* other = find(&node_, key))
        report_.error_at_key(code::kConflict, *other,
                             in_quotes(key) + " is for requests, and this limit counts messages", "remove it");
    for (const Node* tier : children(find(&node_, "tiers"), Kind::object))
      if (const Node* wait = find(tier, "wait"))
        report_.error_at_key(code::kConflict, *wait, "\"wait\" is for requests, and this limit counts messages",
                             "remove it");
  }

  /// A rejected attempt has no server's answer, and reserves nothing. It is counted once, in one counter.
  void count_rejected() {
    if (!out_.count_rejected) return;
    for (const std::string_view key : {"count", "appointments", "shards"})
      if (const Node* other = find(&node_, key); other != nullptr && (key != "appointments" || out_.appointments))
        report_.error_at_key(code::kConflict, *other, in_quotes(key) + " cannot be combined with \"count_rejected\"",
                             "remove one of the two");
  }

  void count() {
    if (out_.messages) return messages();
    if (out_.glitches) return glitches(*text_at(&node_, "count"));
    const Node* written = find(&node_, "count");
    out_.counted_statuses = read_statuses(find(written, "status"));
    const auto keeps = [](const limit::Rule& rule) { return !rule.algorithm->gives_back_late; };
    const auto& tiers = out_.tiers;
    const bool any = std::any_of(tiers.begin(), tiers.end(), [&](const limit::Tier& tier) {
      return std::any_of(tier.rules.begin(), tier.rules.end(), keeps);
    });
    if (written == nullptr || !any) return;
    const auto& name = text_at(&node_, "algorithm")->text;
    report_.error_at_key(code::kConflict, *written,
                         "\"count\" gives permits back after the answer, and " + in_quotes(name) +
                             " cannot: others may have taken more since",
                         R"(choose "sliding_window", or leave "algorithm" out)");
  }

  // Warns about counters that last for a month but are lost at every restart.
  void outlives_the_process() {
    constexpr auto kShortestMonth = std::chrono::hours(28 * 24);
    const auto lasts = [&](const limit::Rule& rule) { return rule.rate.month || rule.rate.period >= kShortestMonth; };
    const bool any = std::any_of(out_.tiers.begin(), out_.tiers.end(), [&](const limit::Tier& tier) {
      return std::any_of(tier.rules.begin(), tier.rules.end(), lasts);
    });
    if (out_.store != Store::memory || !any) return;
    report_.warning_at_key(code::kForgotten, node_,
                           "limit " + in_quotes(out_.name) +
                               " counts for a month in this gateway's memory, which "
                               "loses the counters at every restart",
                           R"(count it in Redis: "redis": { "url": "redis://127.0.0.1:6379" })");
  }

  void exempt() {
    const Node* written = find(&node_, "exempt");
    if (written == nullptr || written->kind != Kind::object) return;
    if (const Node* keys = find(written, "api_key"); keys != nullptr && out_.glitches)
      report_.warning_at_key(
          code::kNoEffect, *keys,
          "\"api_key\" has no effect: glitches are counted per connection, before any request tells who is calling",
          R"(remove it, or exempt a "client_ip")");
    gateway::Exemption out;
    out.limit = out_.name;
    for (const Node* each : texts(find(written, "api_key"))) {
      out.api_keys.push_back(each->text);
      check_owner(*each);
    }
    for (const Node* each : texts(find(written, "client_ip"))) {
      if (const auto network = identity::parse_network(each->text); network.has_value())
        out.addresses.push_back(*network);
    }
    build_.config.gateway.exemptions.push_back(std::move(out));
  }

  void check_owner(const Node& node) {
    const auto& identity = build_.config.identity;
    const auto known = children(find(find(find(&build_.root, "identity"), "api_key"), "keys"), Kind::object);
    if (std::any_of(known.begin(), known.end(), [&](const Node* key) { return key->key == node.text; })) return;
    const auto& in_file = build_.keys_in_file;
    if (std::any_of(in_file.begin(), in_file.end(), [&](const auto& key) { return key.owner == node.text; })) return;
    const std::string message = "no known API key is named " + in_quotes(node.written);
    if (!identity.api_key.file.empty())
      return report_.warning(code::kNoEffect, node, message, "the key file may name it later");
    report_.error(code::kUnresolved, node, message,
                  known.empty()   ? R"(add it to "keys" of "identity.api_key")"
                  : node.replaced ? ""
                                  : suggestion(node.text, known, report_));
  }

  Build& build_;
  Report& report_;
  const Node& node_;
  limit::Limit out_;
};

}  // namespace

void build_limits(Build& build) {
  bool in_redis = false;
  for (const Node* each : children(find(&build.root, "limits"), Kind::object)) {
    build.config.limits.push_back(LimitBuilder(build, *each).run());
    build.limit_nodes.push_back(each);
    in_redis = in_redis || build.config.limits.back().store == Store::redis || build.config.limits.back().bill;
  }
  for (const Node* each : children(find(&build.root, "waiting_rooms"), Kind::object)) {
    const Node* store = text_at(each, "store");
    in_redis = in_redis || store == nullptr || store->text == "redis";
  }
  const auto& upstreams = build.config.upstreams;
  in_redis = in_redis || std::any_of(upstreams.begin(), upstreams.end(), [](const auto& each) {
               return each.concurrency && each.concurrency->in_flight > 0;
             });
  const Node* redis = find(&build.root, "redis");
  if (redis != nullptr && !in_redis) {
    build.report.warning_at_key(code::kUnused, *redis, "no limit counts in Redis",
                                "remove the block, or write \"store\": \"redis\" at a limit");
  }
}

}  // namespace headgate::config
