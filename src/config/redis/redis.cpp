// Reads the Redis servers, and how to connect to them.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/once.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/tls/client.hpp"
#include "config/values.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

constexpr Shape kUrl = text("a Redis URL", check_redis_url);
constexpr Shape kNode = text("a node", check_redis_node);
constexpr Shape kNodes = list("a list of nodes", kNode, 1, 64);
constexpr Shape kSentinelNode = text("a Sentinel", check_sentinel_node);
constexpr Shape kSentinelNodes = list("a list of Sentinels", kSentinelNode, 1, 64);
constexpr Shape kMasterName = text("a master's name", check_name);
constexpr Key kSentinelKeys[] = {
    {"master", &kMasterName, "", R"("headgate")", "Name of the master at the Sentinels",
     into<&redis::RedisOptions::master>, required},
    {"nodes", &kSentinelNodes, "", R"(["sentinel-1:26379", "sentinel-2:26379"])",
     "Sentinels, each `host:port`; one that answers is enough", required},
    {"username", &kText, "", R"("headgate")", "ACL user of the Sentinels",
     into<&redis::RedisOptions::sentinel_username>},
    {"password", &kText, "", R"("${SENTINEL_PASSWORD}")", "Password of this user",
     into<&redis::RedisOptions::sentinel_password>},
};
constexpr Section kSentinel{"sentinel", "redis.sentinel", "Sentinels that know the current master.", kSentinelKeys};
constexpr Shape kSentinelShape = section(kSentinel);
constexpr Shape kTlsShape = section(kRedisTlsSection);
constexpr Shape kDatabase = integer(0, 1'000'000);
constexpr Shape kKeyPrefix = text("a key prefix", check_key_prefix);
constexpr Shape kInstances = integer(1, 10'000);
constexpr Shape kInFlight = integer(1, 1'000'000);
constexpr std::string_view kLater[] = {"connections"};
constexpr Key kKeys[] = {
    {"url", &kUrl, "", R"("redis://127.0.0.1:6379/0")",
     "One server: `redis://[user[:password]@]host[:port][/database]`, or `rediss://` for TLS"},
    {"cluster", &kNodes, "", R"(["redis-1:6379", "redis-2:6379"])",
     "Some nodes of a Redis Cluster, each `host:port`; the others are discovered"},
    {"sentinel", &kSentinelShape, "", R"({ "master": "headgate", "nodes": ["sentinel-1:26379"] })",
     "A master found through Redis Sentinel"},
    {"tls", &kTlsShape, "", R"({ "ca": "/etc/headgate/redis-ca.pem" })",
     "TLS for `cluster`, `sentinel` and `rediss://`"},
    {"database", &kDatabase, "", "0", "Database number, if `url` has none. Default: 0"},
    {"username", &kText, "", R"("headgate")", "ACL user. Default: Redis's default user"},
    {"password", &kText, "", R"("${REDIS_PASSWORD}")", "Password of this user"},
    {"timeout", &kDuration, kOfOptions, R"("20ms")", "Maximum time that a request waits for one call to Redis",
     into<&redis::RedisOptions::timeout>},
    {"if_down", &kIfDown, "count_locally", R"("count_locally")",
     "What limits do while Redis is unavailable: `allow`, `reject`, or `count_locally` in the gateway's memory"},
    {"key_prefix", &kKeyPrefix, kOfOptions, R"("hg:prod:")",
     "Prefix of all keys; gateways with the same prefix share their counters", into<&redis::RedisOptions::key_prefix>},
    {"instances", &kInstances, kOfOptions, "4",
     "Minimum number of gateways that share the limits. While Redis is down, each grants its part of them; if more "
     "gateways were seen before, that number is used",
     into<&redis::RedisOptions::instances>},
    {"max_in_flight", &kInFlight, kOfOptions, "1024",
     "Maximum number of calls in flight per worker; beyond it, Redis counts as unavailable",
     into<&redis::RedisOptions::max_in_flight>},
    {"unready_without_redis", &kBoolean, kOfOptions, "true",
     "Whether `/readyz` answers 503 while Redis is down. This takes all gateways out of service at once",
     into<&Config::unready_without_redis>},
};
constexpr std::string_view kForms[] = {"url", "cluster", "sentinel"};

}  // namespace

constexpr Section kRedisSection{.name = "redis",
                                .path = "redis",
                                .doc = "Redis for shared counters: one server, a cluster, or Sentinels.",
                                .keys = kKeys,
                                .later = kLater,
                                .one_of = kForms};

namespace {

using redis::Topology;

class RedisBuilder {
 public:
  RedisBuilder(Build& build, const Node& node)
      : report_(build.report), node_(node), out_(build.config.redis.emplace()) {}

  void run() {
    place();
    login();
    tls();
    database();
    fill(&node_, kRedisSection, out_);
  }

 private:
  void place() {
    if (const Node* url = text_at(&node_, "url")) {
      if (auto read = parse_redis_url(url->text); read.has_value()) {
        url_ = std::move(*read);
        out_.nodes = {url_->node};
        out_.username = url_->username;
        out_.password = url_->password;
      }
    } else if (const Node* cluster = find(&node_, "cluster")) {
      out_.topology = Topology::cluster;
      nodes(cluster, parse_redis_node);
    } else if (const Node* sentinel = find(&node_, "sentinel"); sentinel != nullptr && sentinel->kind == Kind::object) {
      out_.topology = Topology::sentinel;
      nodes(find(sentinel, "nodes"), parse_sentinel_node);
      fill(sentinel, kSentinel, out_);
      demand_password(*sentinel, out_.sentinel_username, out_.sentinel_password, "${SENTINEL_PASSWORD}");
    }
  }

  using Parse = Result<redis::RedisNode, LiteralError> (*)(std::string_view);

  void nodes(const Node* written, Parse parse) {
    out_.nodes.clear();
    for (const Node* each : texts(written)) {
      auto node = parse(each->text);
      if (node.has_value()) add_once(report_, *each, std::move(*node), out_.nodes);
    }
    if (out_.nodes.empty()) out_.nodes.emplace_back();  // the list is empty, which has already been reported
  }

  void login() {
    read_login("username", out_.username);
    read_login("password", out_.password);
    demand_password(node_, out_.username, out_.password, "${REDIS_PASSWORD}");
  }

  // Reports a user or password that is written both in the URL and in a key of its own.
  void read_login(const char* key, std::string& out) {
    const Node* node = text_at(&node_, key);
    if (node == nullptr) return;
    if (!out.empty()) {
      report_.error_at_key(code::kConflict, *node, in_quotes(key) + " is in \"url\" too", "keep one of the two");
    }
    out = node->text;
  }

  void demand_password(const Node& section, const std::string& user, const std::string& password,
                       const std::string& example) {
    if (user.empty() || !password.empty() || find(&section, "password") != nullptr) return;
    const Node* place =
        text_at(&section, "username") != nullptr ? text_at(&section, "username") : text_at(&section, "url");
    if (place == nullptr) return;
    report_.error(code::kConflict, *place, "a Redis user needs a password", "add \"password\": " + in_quotes(example));
  }

  void database() {
    if (url_ && url_->database) out_.database = *url_->database;
    const Node* written = find(&node_, "database");
    if (written == nullptr) return;
    read_number(&node_, "database", out_.database);
    if (url_ && url_->database) {
      report_.error_at_key(code::kConflict, *written, "\"database\" is in \"url\" too", "keep one of the two");
    } else if (out_.topology == Topology::cluster && out_.database != 0) {
      report_.error(code::kConflict, *written, "a Redis Cluster has one database, number 0", "remove it");
    }
  }

  void tls() {
    if (url_ && url_->tls) out_.tls.emplace();
    const Node* written = find(&node_, "tls");
    if (written == nullptr || written->kind != Kind::object) return;
    if (url_ && !url_->tls) {
      report_.error_at_key(code::kConflict, *written, "\"url\" has redis://, which does not use TLS",
                           "write \"rediss://...\", or remove \"tls\"");
    }
    build_client_tls(report_, *written, out_.tls ? *out_.tls : out_.tls.emplace(),
                     {.accepted = "any server that answers is accepted as Redis, and learns its password and every key",
                      .name = "redis"});
  }

  Report& report_;
  const Node& node_;
  redis::RedisOptions& out_;
  std::optional<RedisUrl> url_;
};

}  // namespace

void build_redis(Build& build) {
  const Node* redis = find(&build.root, "redis");
  if (redis == nullptr || redis->kind != Kind::object) return;
  RedisBuilder(build, *redis).run();
  fill(redis, kRedisSection, build.config);
}

}  // namespace headgate::config
