#include "build.hpp"
#include "codes.hpp"
#include "formats.hpp"
#include "table.hpp"
#include "values.hpp"

#include "headgate/http/fields.hpp"
#include "headgate/identity/network.hpp"

#include <array>

namespace headgate::config {
namespace {

using limit::IfAbsent;
using limit::Per;
using limit::Store;

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
    tier_from();
    build_tiers(build_, node_, out_);
    exempt();
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
    if (per.kind == Per::Kind::jwt_claim) demand_jwt(node, "this counts per", per);
    if (per.kind == Per::Kind::api_key && !build_.config.identity.api_key.any_known()) {
      report_.warning(code::kBelieved, node,
                      "no API key is known, so a caller can make up another for each request and never meet this limit",
                      R"(name those that are: "identity": { "api_key": { "file": "/etc/headgate/api-keys.json" } })");
    }
    if (per.kind == Per::Kind::header && is_claim_header(per.name)) {
      report_.warning(code::kBelieved, node,
                      "this counts by the field " + per.name +
                          " as a caller sends it; the claim is written into it for the server behind only",
                      R"(count by the claim, as in "jwt.sub")");
    }
    if (claims_address(per)) {
      report_.warning(code::kProxies, node,
                      "any caller can write the field " + per.name + ", and so choose its counter",
                      "count per \"client_ip\", and name your load balancer in \"trusted_proxies\"");
    }
  }

  bool is_claim_header(const std::string& name) const {
    const auto& jwt = build_.config.identity.jwt;
    return jwt && std::any_of(jwt->claim_headers.begin(), jwt->claim_headers.end(),
                              [&](const auto& each) { return http::same_variable(each.first, name); });
  }

  void demand_jwt(const Node& node, const std::string& what, const Per& per) {
    if (build_.config.identity.jwt) return;
    report_.error(code::kUnresolved, node,
                  what + ' ' + limit::to_text(per) + ", but \"identity\" has no \"jwt\" to verify tokens with",
                  R"(add "identity": { "jwt": { "algorithms": ["HS256"], "secret": "${JWT_SECRET}" } })");
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
    const auto& absent = out_.if_absent;
    if (written->kind == Kind::list) {
      for (const Node* each : written->children) instead(*each, each == written->children.back());
    } else {
      instead(*written, true);
    }
    if (!absent.instead.empty() && absent.last == IfAbsent::Last::unset) demand_an_end(*written);
    if (!out_.per.empty() && std::all_of(out_.per.begin(), out_.per.end(), limit::always_there)) {
      report_.warning_at_key(code::kNoEffect, *written,
                             "\"if_absent\" has no effect: no request lacks " + limit::to_text(out_.per.front()),
                             "remove it");
    }
  }

  void instead(const Node& node, bool last) {
    auto& absent = out_.if_absent;
    const bool word = node.kind == Kind::string && (node.text == "skip" || node.text == "reject");
    if (!word && node.kind != Kind::object) return another_key(node, last);
    if (!last) {
      const std::string what = word ? in_quotes(node.text) : "a rejection";
      return report_.error(code::kConflict, node, "what follows " + what + " is never tried", "write it last");
    }
    absent.last = word && node.text == "skip" ? IfAbsent::Last::skip : IfAbsent::Last::reject;
    read_number(&node, "reject", absent.status);
  }

  void another_key(const Node& node, bool last) {
    if (node.kind != Kind::string && node.kind != Kind::list) return;
    auto key = pers(&node);
    if (key.empty()) return;
    if (!last && std::all_of(key.begin(), key.end(), limit::always_there)) {
      report_.error(code::kConflict, node,
                    "what follows is never tried: no request lacks " + limit::to_text(key.front()),
                    "write it last, or list in a list what is counted by together, as in [[\"client_ip\", \"route\"]]");
    }
    auto& before = out_.if_absent.instead;
    const bool in_vain =
        lacks_with(out_.per, key) ||
        std::any_of(before.begin(), before.end(), [&](const auto& earlier) { return lacks_with(earlier, key); });
    if (in_vain) {
      return report_.error(code::kConflict, node,
                           "this is never used: a request that lacks what comes before it lacks this too",
                           R"(count by something else, as in "client_ip")");
    }
    before.push_back(std::move(key));
  }

  /// Whether no request that lacks `earlier` has `later`.
  static bool lacks_with(const std::vector<Per>& earlier, const std::vector<Per>& later) {
    const auto sure = [&](const Per& per) {
      return limit::always_there(per) || std::find(later.begin(), later.end(), per) != later.end();
    };
    return !std::all_of(earlier.begin(), earlier.end(), limit::always_there) &&
           std::all_of(earlier.begin(), earlier.end(), sure);
  }

  void demand_an_end(const Node& written) {
    const auto& key = out_.if_absent.instead.back();
    const auto unsure = std::find_if_not(key.begin(), key.end(), limit::always_there);
    if (unsure == key.end()) return;
    const auto name = limit::to_text(*unsure);
    report_.error(
        code::kKeyAbsent, written, "a request may lack " + name + " too",
        "end with what every request has, as in [" + in_quotes(name) + R"(, "client_ip"], or with "skip" or "reject")");
  }

  void tier_from() {
    const Node* written = text_at(&node_, "tier_from");
    if (written == nullptr || find(&node_, "tiers") == nullptr || check_tier_from(written->text)) return;
    const auto& from = out_.tier_from.emplace(*parse_per(written->text));
    const auto& identity = build_.config.identity;
    if (from.kind == Per::Kind::jwt_claim) demand_jwt(*written, "the tier is taken from", from);
    if (from.kind == Per::Kind::api_key && !identity.api_key.any_known()) {
      report_.warning(
          code::kNoEffect, *written, "no API key is known, so every caller has the default tier",
          R"(add "identity": { "api_key": { "keys": { "acme": { "key": "${ACME_KEY}", "tier": "pro" } } } })");
    }
    if (from.kind == Per::Kind::header && identity.trusted_proxies.empty()) {
      report_.warning(
          code::kProxies, *written,
          "the field " + from.name +
              " is believed from trusted proxies only, and none is named, so every caller has the default tier",
          R"(name the proxy that writes it: "identity": { "trusted_proxies": ["10.0.0.0/8"] })");
    }
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
      return report_.warning(code::kNoEffect, node, message, "the key file may still come to name it");
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
    in_redis = in_redis || build.config.limits.back().store == Store::redis;
  }
  const Node* redis = find(&build.root, "redis");
  if (redis != nullptr && !in_redis) {
    build.report.warning_at_key(code::kUnused, *redis, "no limit counts in Redis",
                                "remove the block, or write \"store\": \"redis\" at a limit");
  }
}

}  // namespace headgate::config
