#include "build.hpp"
#include "codes.hpp"
#include "formats.hpp"
#include "table.hpp"
#include "values.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/limit/algorithm.hpp"

#include <array>

namespace headgate::config {
namespace {

using limit::IfAbsent;
using limit::Per;
using limit::Store;

bool always_there(const Per& per) {
  return per.kind != Per::Kind::api_key && per.kind != Per::Kind::jwt_claim && per.kind != Per::Kind::header;
}

// Fields that say who the caller is and that any caller can write.
bool claims_address(const Per& per) {
  static constexpr std::array<std::string_view, 6> kFields{"x-forwarded-for", "x-real-ip",        "forwarded",
                                                           "true-client-ip",  "cf-connecting-ip", "x-client-ip"};
  return per.kind == Per::Kind::header && std::find(kFields.begin(), kFields.end(), per.name) != kFields.end();
}

class LimitBuilder {
 public:
  LimitBuilder(Build& build, const Node& node) : build_(build), report_(build.report), node_(node) {}

  limit::Limit run() {
    out_.name = node_.key;
    out_.per = pers(find(&node_, "per"));
    read_choice(&node_, "mode", kModes, out_.mode);
    store();
    absent();
    rules();
    return std::move(out_);
  }

 private:
  std::vector<Per> pers(const Node* written) {
    std::vector<Per> out;
    for (const Node* each : texts(written)) {
      auto per = parse_per(each->text);
      if (per.has_error()) continue;
      if (std::find(out.begin(), out.end(), *per) != out.end()) {
        report_.error(code::kDuplicate, *each, in_quotes(each->written) + " stands twice in this list",
                      "remove one of the two");
        continue;
      }
      check_per_meaning(*each, *per);
      out.push_back(std::move(*per));
    }
    const auto total =
        std::find_if(out.begin(), out.end(), [](const Per& per) { return per.kind == Per::Kind::total; });
    if (out.size() > 1 && total != out.end()) {
      report_.error(code::kConflict, *written, "\"total\" is one counter for everybody, so nothing can be added to it",
                    "remove \"total\", or count per \"total\" alone");
    }
    return out;
  }

  void check_per_meaning(const Node& node, const Per& per) {
    if (per.kind == Per::Kind::jwt_claim && !build_.config.identity.has_jwt) {
      report_.error(
          code::kUnresolved, node,
          "this counts per " + limit::to_text(per) + ", but \"identity\" has no \"jwt\" to verify tokens with",
          R"(add "identity": { "jwt": { "algorithms": ["HS256"], "secret": "${JWT_SECRET}" } })");
    }
    if (claims_address(per)) {
      report_.warning(code::kProxies, node,
                      "any caller can write the field " + per.name + ", and so choose its counter",
                      "count per \"client_ip\", and name your load balancer in \"trusted_proxies\"");
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

  void absent() {
    const Node* written = find(&node_, "if_absent");
    if (written == nullptr) return;
    auto& absent = out_.if_absent;
    if (written->kind == Kind::string && (written->text == "skip" || written->text == "reject")) {
      absent.action = written->text == "skip" ? IfAbsent::Action::skip : IfAbsent::Action::reject;
    } else if (written->kind == Kind::string || written->kind == Kind::list) {
      absent.use = pers(written);
      absent.action = IfAbsent::Action::use;
      const auto unsure = std::find_if_not(absent.use.begin(), absent.use.end(), always_there);
      if (unsure != absent.use.end()) {
        report_.error(code::kKeyAbsent, *written, "a request may lack " + limit::to_text(*unsure) + " too",
                      "write what every request has, as in \"client_ip\", or \"skip\" or \"reject\"");
      }
    }
    if (!out_.per.empty() && std::all_of(out_.per.begin(), out_.per.end(), always_there)) {
      report_.warning_at_key(code::kNoEffect, *written,
                             "\"if_absent\" has no effect: no request lacks " + limit::to_text(out_.per.front()),
                             "remove it");
    }
  }

  void rules() {
    const auto rates = texts(find(&node_, "rate"));
    const Node* burst = find(&node_, "burst");
    if (burst != nullptr && rates.size() > 1) {
      report_.error_at_key(code::kConflict, *burst,
                           "\"burst\" belongs to one rate, and \"rate\" lists " + std::to_string(rates.size()),
                           "write a limit for each rate, or leave \"burst\" out");
    }
    const limit::Algorithm* algorithm = nullptr;
    const Node* name = text_at(&node_, "algorithm");
    algorithm = limit::find_algorithm(name == nullptr ? "token_bucket" : std::string_view(name->text));
    if (algorithm == nullptr) return;
    for (const Node* each : rates) add_rule(*each, *algorithm, rates.size() > 1);
  }

  void add_rule(const Node& node, const limit::Algorithm& algorithm, bool one_of_several) {
    const auto rate = parse_rate(node.text);
    if (rate.has_error()) return;
    limit::Rule rule;
    rule.limit = out_.name;
    rule.rate = *rate;
    rule.burst = rate->count;
    rule.algorithm = &algorithm;
    if (one_of_several) {
      rule.name = to_text(*rate);
    } else {
      read_number(&node_, "burst", rule.burst);
    }
    rule.suffix = ':' + rule.limit + (rule.name.empty() ? "" : ':' + rule.name);
    rule.seed = stable_hash(rule.suffix);
    const auto twin = std::find_if(out_.rules.begin(), out_.rules.end(),
                                   [&](const limit::Rule& each) { return each.name == rule.name; });
    if (twin != out_.rules.end()) {
      return report_.error(code::kDuplicate, node, "this rate stands twice in this list", "remove one of the two");
    }
    if (const auto fault = algorithm.check(rule)) {
      const Node* burst = find(&node_, "burst");
      return report_.error(code::kAlgorithm, burst == nullptr ? node : *burst, fault->message, fault->help);
    }
    out_.rules.push_back(std::move(rule));
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
    in_redis = in_redis || build.config.limits.back().store == Store::redis;
  }
  const Node* redis = find(&build.root, "redis");
  if (redis != nullptr && !in_redis) {
    build.report.warning_at_key(code::kUnused, *redis, "no limit counts in Redis",
                                "remove the block, or write \"store\": \"redis\" at a limit");
  }
}

}  // namespace headgate::config
