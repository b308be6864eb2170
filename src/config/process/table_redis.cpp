// Counters shared by several gateways.

#include "config/table_shapes.hpp"

namespace headgate::config {
namespace {

constexpr Shape kUrl = text("a Redis URL", check_redis_url);
constexpr Shape kNode = text("a node", check_redis_node);
constexpr Shape kNodes = list("a list of nodes", kNode, 1, 64);
constexpr Shape kSentinelNode = text("a Sentinel", check_sentinel_node);
constexpr Shape kSentinelNodes = list("a list of Sentinels", kSentinelNode, 1, 64);
constexpr Shape kMasterName = text("a master's name", check_name);
constexpr Key kSentinelKeys[] = {
    {"master", &kMasterName, "", R"("headgate")", "The name that the Sentinels have for the master", required},
    {"nodes", &kSentinelNodes, "", R"(["sentinel-1:26379", "sentinel-2:26379"])",
     "The Sentinels, `host:port` each; one that answers is enough", required},
    {"username", &kText, "", R"("headgate")", "ACL user of the Sentinels"},
    {"password", &kText, "", R"("${SENTINEL_PASSWORD}")", "Its password"},
};
constexpr Section kSentinel{"sentinel", "redis.sentinel", "The Sentinels that know which server is the master.",
                            kSentinelKeys};
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
     "Some nodes of a Redis Cluster, `host:port` each; they name the others"},
    {"sentinel", &kSentinelShape, "", R"({ "master": "headgate", "nodes": ["sentinel-1:26379"] })",
     "A master found through Redis Sentinel"},
    {"tls", &kTlsShape, "", R"({ "ca": "/etc/headgate/redis-ca.pem" })",
     "TLS, for `cluster`, `sentinel` and `rediss://`"},
    {"database", &kDatabase, "", "0", "Number of the database, if `url` has none; default: 0"},
    {"username", &kText, "", R"("headgate")", "ACL user; default: Redis's default user"},
    {"password", &kText, "", R"("${REDIS_PASSWORD}")", "Its password"},
    {"timeout", &kDuration, "20ms", R"("20ms")", "No request ever waits longer than this for Redis"},
    {"if_down", &kIfDown, "count_locally", R"("count_locally")",
     "What limits do while Redis is unavailable: `allow`, `reject`, or `count_locally` in this gateway's memory"},
    {"key_prefix", &kKeyPrefix, "hg:", R"("hg:prod:")", "Gateways with one prefix share their counters"},
    {"instances", &kInstances, "1", "4",
     "How many gateways share the limits: each grants its part of them while it counts locally"},
    {"max_in_flight", &kInFlight, "1024", "1024",
     "Maximum number of calls in flight per worker; beyond it Redis counts as unavailable"},
    {"unready_without_redis", &kBoolean, "false", "true",
     "Whether `/readyz` answers 503 while Redis does not answer. All gateways lose it together, and without any of "
     "them "
     "nothing is served at all"},
};
constexpr std::string_view kForms[] = {"url", "cluster", "sentinel"};

}  // namespace

constexpr Section kRedisSection{.name = "redis",
                                .path = "redis",
                                .doc = "Counters shared by several gateways: one server, a cluster, or Sentinels.",
                                .keys = kKeys,
                                .later = kLater,
                                .one_of = kForms};

}  // namespace headgate::config
