#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/gateway/key_source.hpp"
#include "headgate/identity/network.hpp"
#include "headgate/limit/algorithm.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

using gateway::Needs;
using limit::Store;

class LimitBuilder {
 public:
  LimitBuilder(Build& build, const Node& node) : build_(build), report_(build.report), node_(node) {}

  limit::Limit run() {
    out_.name = node_.key;
    out_.per = build_key(build_, find(&node_, "per"));
    read_choice(&node_, "mode", kModes, out_.mode);
    store();
    build_if_absent(build_, node_, out_.per, out_.if_absent);
    read_number(&node_, "version", out_.version);
    tier_from();
    build_tiers(build_, node_, out_);
    build_shards(build_, node_, out_);
    build_appointments(build_, node_, out_);
    count();
    outlives_the_process();
    exempt();
    build_ban(build_, node_, out_);
    read(&node_, "bill", out_.bill);
    build_notices(build_, node_, out_);
    priorities();
    return std::move(out_);
  }

 private:
  void priorities() {
    for (const Node* tier : children(find(&node_, "tiers"), Kind::object)) {
      if (text_at(tier, "priority") == nullptr) continue;
      gateway::TierPriority priority{.limit = out_.name, .tier = tier->key};
      read_choice(tier, "priority", shed::kPriorityWords, priority.priority);
      build_.config.gateway.tier_priorities.push_back(std::move(priority));
    }
  }

  void store() {
    const bool redis = build_.config.redis.has_value();
    out_.store = redis ? Store::redis : Store::memory;
    read_choice(&node_, "store", kStores, out_.store);
    const Node* written = find(&node_, "store");
    if (out_.store == Store::redis && find(&build_.root, "redis") == nullptr) {
      report_.error(code::kUnresolved, *written, "this limit counts in Redis, but there is no \"redis\" block",
                    R"(add "redis": { "url": "redis://127.0.0.1:6379" }, or write "store": "memory")");
    }
    read_choice(find(&build_.root, "redis"), "if_down", kIfRedisDown, out_.if_redis_down);
    read_choice(&node_, "if_redis_down", kIfRedisDown, out_.if_redis_down);
    const Node* down = find(&node_, "if_redis_down");
    if (down != nullptr && out_.store == Store::memory) {
      report_.warning_at_key(code::kNoEffect, *down,
                             "\"if_redis_down\" has no effect: this limit counts in this gateway's memory",
                             "remove it");
    }
  }

  void tier_from() {
    const Node* written = text_at(&node_, "tier_from");
    if (written == nullptr || find(&node_, "tiers") == nullptr || check_tier_from(written->text)) return;
    const auto& from = out_.tier_from.emplace(*parse_per(written->text));
    const auto& identity = build_.config.identity;
    if (from.source->needs == Needs::token) demand_jwt(build_, *written, "the tier is taken from", from);
    if (from.source->needs == Needs::api_key && !identity.api_key.any_known()) {
      report_.warning(
          code::kNoEffect, *written, "no API key is known, so every caller has the default tier",
          R"(add "identity": { "api_key": { "keys": { "acme": { "key": "${ACME_KEY}", "tier": "pro" } } } })");
    }
    if (from.source->needs == Needs::field && identity.trusted_proxies.empty()) {
      report_.warning(
          code::kProxies, *written,
          "the field " + from.name +
              " is accepted only from trusted proxies, and none is named, so every caller has the default tier",
          R"(name the proxy that writes it: "identity": { "trusted_proxies": ["10.0.0.0/8"] })");
    }
  }

  void count() {
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
    constexpr auto kMonth = std::chrono::hours(28 * 24);
    const auto lasts = [&](const limit::Rule& rule) { return rule.rate.month || rule.rate.period >= kMonth; };
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
  const auto& capacities = build.config.gateway.concurrency;
  in_redis = in_redis || std::any_of(capacities.begin(), capacities.end(),
                                     [](const auto& each) { return each.options.in_flight > 0; });
  const Node* redis = find(&build.root, "redis");
  if (redis != nullptr && !in_redis) {
    build.report.warning_at_key(code::kUnused, *redis, "no limit counts in Redis",
                                "remove the block, or write \"store\": \"redis\" at a limit");
  }
}

}  // namespace headgate::config
