// Finds sizes and times that are valid alone but contradict each other.

#include "config/build.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <chrono>
#include <set>

namespace headgate::config {
namespace {

using namespace std::chrono_literals;
using limit::Limit;
using limit::Rule;
using limit::Tier;

constexpr Duration kLongWait = 1min;
constexpr Duration kShortLag = 10ms;
constexpr Duration kLongPeriod = std::chrono::hours(28 * 24);

bool lasts_a_month(const Rule& rule) { return rule.rate.month || rule.rate.period >= kLongPeriod; }

/// Returns the part of a rule that names its counter within the limit; 0 for requests in flight.
std::int64_t period_of(const Rule& rule) {
  if (!rule.algorithm->refills) return 0;
  return rule.rate.month ? -1 : rule.rate.period.count();
}

std::set<std::int64_t> periods_of(const Tier& tier) {
  std::set<std::int64_t> out;
  for (const auto& rule : tier.rules) out.insert(period_of(rule));
  return out;
}

/// Returns how many requests per second a tier allows permanently; below 0 if there is no bound.
double sustained(const Tier& tier) {
  double out = -1;
  for (const auto& rule : tier.rules) {
    const auto period = rule.algorithm->refills ? std::chrono::duration<double>(rule.rate.period).count() : 1.0;
    const auto rate = static_cast<double>(rule.algorithm->refills ? rule.rate.count : rule.burst) / period;
    if (out < 0 || rate < out) out = rate;
  }
  return out;
}

bool flies(const Tier& tier) {
  return std::any_of(tier.rules.begin(), tier.rules.end(), [](const Rule& rule) { return !rule.algorithm->refills; });
}

class LimitSizes {
 public:
  LimitSizes(Build& build, const Limit& limit, const Node& node)
      : report_(build.report),
        redis_(build.config.redis ? &*build.config.redis : nullptr),
        limit_(limit),
        node_(node) {}

  void run() {
    if (limit_.tiers.size() > 1) tiers();
    if (limit_.ban) ban();
    waits();
    if (limit_.store == limit::Store::redis && limit_.if_redis_down == limit::IfRedisDown::count_locally) locally();
  }

 private:
  const Node* tier_node(const std::string& name) const {
    const auto all = children(find(&node_, "tiers"), Kind::object);
    const auto at = std::find_if(all.begin(), all.end(), [&](const Node* each) { return each->key == name; });
    return at == all.end() ? nullptr : *at;
  }

  /// Returns whether one credential gives both the key and the tier, so that each key has only one tier.
  bool tier_of_key() const {
    return limit_.tier_from && std::any_of(limit_.per.begin(), limit_.per.end(), [&](const limit::Per& per) {
             return per.source->needs == limit_.tier_from->source->needs;
           });
  }

  void tiers() {
    const auto& usual = limit_.tiers[limit_.default_tier];
    const Tier* counted = nullptr;  // the first tier that is counted at all
    bool told = false;
    for (const auto& tier : limit_.tiers) {
      const Node* node = tier_node(tier.name);
      if (node == nullptr) continue;
      if (!tier.rules.empty() && counted == nullptr) counted = &tier;
      if (!tier.rules.empty() && !told && !tier_of_key() && periods_of(tier) != periods_of(*counted)) {
        told = true;
        report_.warning_at_key(
            code::kConflict, *node,
            in_quotes(tier.name) + " and " + in_quotes(counted->name) +
                " count by different periods, so they have different counters, and a caller whose tier changes can use "
                "up both",
            "write all tiers with the same periods, as in \"3000/minute\" in place of \"50/second\"");
      }
      if (&tier == &usual || flies(tier) != flies(usual)) continue;
      const auto less = sustained(tier);
      const auto more = sustained(usual);
      if (less >= 0 && (more < 0 || more > less))
        report_.warning_at_key(code::kConflict, *node,
                               in_quotes(tier.name) + " allows less than the default tier, " + in_quotes(usual.name) +
                                   ", which applies to every caller whose request names no tier",
                               "swap the two, or make the smallest tier the default");
    }
  }

  void ban() {
    const Node* written = find(&node_, "ban");
    const Node* within = text_at(written, "within");
    if (within != nullptr && limit_.ban->offences.rate.period > limit_.ban->longest)
      report_.warning(code::kConflict, *within,
                      "offences count for " + to_text(limit_.ban->offences.rate.period) +
                          ", but a suspension is forgotten after " + to_text(limit_.ban->longest) +
                          " (\"at_most\"), so a slow offender always begins with the shortest one",
                      R"(write at least "at_most": ")" + to_text(limit_.ban->offences.rate.period) + '"');
    const auto of_nobody = [](const limit::Per& per) {
      return per.source->counts == gateway::Counts::everybody || per.source->needs == gateway::Needs::descriptor;
    };
    if (written == nullptr || gateway::is_own_key(limit_) ||
        std::all_of(limit_.per.begin(), limit_.per.end(), of_nobody))
      return;
    std::string words;
    for (const auto& per : limit_.per) words.append(words.empty() ? "" : ", ").append(gateway::to_text(per));
    report_.warning_at_key(code::kBelieved, *written,
                           "anybody can send the " + in_quotes(words) +
                               " of another caller, offend with it, and so have that caller suspended",
                           R"(count by what a caller proves, as in "per": "client_ip", "api_key" or "jwt.sub")");
  }

  void waits() {
    for (const Node* section : sections()) {
      const Node* wait = text_at(section, "wait");
      // A limit with rates is left out, because its algorithm reports a wait that is too long.
      if (wait == nullptr || std::none_of(limit_.tiers.begin(), limit_.tiers.end(), flies)) continue;
      const auto length = parse_duration(wait->text);
      if (length.has_error() || *length < kLongWait) continue;
      report_.warning(code::kConflict, *wait,
                      "a request that waits for " + to_text(*length) +
                          " holds its connection, and most clients and proxies give up within a minute",
                      "write some seconds; a request that would have to wait longer is rejected with the time to come "
                      "back");
    }
  }

  void locally() {
    for (const auto& tier : limit_.tiers) {
      for (const auto& rule : tier.rules) {
        const auto count = rule.algorithm->refills ? rule.rate.count : rule.burst;
        if (limit_.alone_up == 0 && count < redis_instances()) return few(tier, rule, count);
        if (lasts_a_month(rule)) return month(tier);
      }
    }
  }
  void few(const Tier& tier, const Rule& rule, std::uint64_t count) {
    const auto instances = std::to_string(redis_instances());
    const auto size = rule.algorithm->refills ? to_text(rule.rate) : std::to_string(count) + " in flight";
    report_.warning_at_key(code::kConflict, size_node(tier),
                           "while Redis is down each of " + instances +
                               " gateways (\"instances\") grants at least 1 of " + size +
                               ", so all together may grant " + instances + " at once",
                           R"(write "if_redis_down": "reject" or "allow", or fewer "instances")");
  }
  void month(const Tier& tier) {
    report_.warning_at_key(code::kForgotten, size_node(tier),
                           "while Redis is down this quota of a month is counted from nothing in each gateway, so a "
                           "caller that has used it up goes on",
                           R"(write "if_redis_down": "reject", or "allow" if that is meant)");
  }

  std::uint64_t redis_instances() const { return redis_ != nullptr ? redis_->instances : 1; }
  const Node& size_node(const Tier& tier) const {
    const Node* section = tier.name.empty() ? &node_ : tier_node(tier.name);
    if (section == nullptr) return node_;
    for (const char* key : {"rate", "in_flight"})
      if (const Node* found = find(section, key)) return *found;
    return *section;
  }
  std::vector<const Node*> sections() const {
    std::vector<const Node*> out{&node_};
    for (const Node* each : children(find(&node_, "tiers"), Kind::object)) out.push_back(each);
    return out;
  }

  Report& report_;
  const redis::RedisOptions* redis_;
  const Limit& limit_;
  const Node& node_;
};

void room_sizes(Build& build, const gateway::WaitingRoom& room, const Node& node) {
  const Node* stay = text_at(&node, "stay");
  const Node* grace = text_at(&node, "grace");
  if (room.rule.stay >= room.rule.grace || (stay == nullptr && grace == nullptr)) return;
  build.report.warning(code::kConflict, stay != nullptr ? *stay : *grace,
                       "a visitor counts as gone after " + to_text(room.rule.stay) +
                           " without a request (\"stay\"), sooner than a visitor who has not come in yet (\"grace\", " +
                           to_text(room.rule.grace) + ")",
                       R"(write at least "stay": ")" + to_text(room.rule.grace) + '"');
}

}  // namespace

// Does nothing if there are errors, because sizes that cannot be read have been replaced by others.
void check_sizes(Build& build) {
  if (build.report.has_errors()) return;
  const auto& config = build.config;
  for (std::size_t i = 0; i < config.limits.size() && i < build.limit_nodes.size(); ++i)
    LimitSizes(build, config.limits[i], *build.limit_nodes[i]).run();
  for (std::size_t i = 0; i < config.gateway.rooms.size() && i < build.room_nodes.size(); ++i)
    room_sizes(build, config.gateway.rooms[i], *build.room_nodes[i]);
  const auto lag = config.gateway.shedding.loop_lag;
  if (const Node* written = text_at(find(&build.root, "shedding"), "loop_lag");
      written != nullptr && lag > Duration(0) && lag < kShortLag)
    build.report.warning(code::kConflict, *written,
                         "an idle machine makes a worker late by " + to_text(lag) +
                             " now and then, so requests are refused without an overload",
                         R"(write at least "10ms"; "50ms" is usual)");
}

}  // namespace headgate::config
