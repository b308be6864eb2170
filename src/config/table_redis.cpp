// Counters shared by several gateways.

#include "table_shapes.hpp"

namespace headgate::config {
namespace {

constexpr Shape kUrl = text("a Redis URL", check_redis_url);
constexpr Shape kNode = text("a node", check_redis_node);
constexpr Shape kNodes = list("a list of nodes", kNode, 1, 64);
constexpr Shape kSentinelNode = text("a Sentinel", check_sentinel_node);
constexpr Shape kSentinelNodes = list("a list of Sentinels", kSentinelNode, 1, 64);
constexpr Shape kMasterName = text("a master's name", check_name);
constexpr Key kSentinelKeys[] = {
    {"master", &kMasterName, "", R"("headgate")", "What the Sentinels call the master to ask", required},
    {"nodes", &kSentinelNodes, "", R"(["sentinel-1:26379", "sentinel-2:26379"])",
     "The Sentinels, `host:port` each; one that answers is enough", required},
    {"username", &kText, "", R"("headgate")", "ACL user of the Sentinels"},
    {"password", &kText, "", R"("${SENTINEL_PASSWORD}")", "Its password"},
};
constexpr Section kSentinel{"sentinel", "redis.sentinel", "The Sentinels that know which server is the master.",
                            kSentinelKeys};
constexpr Key kTlsKeys[] = {
    {"ca", &kFilePath, "", R"("/etc/headgate/redis-ca.pem")",
     "PEM file of the authorities to trust; the system's where it is left out"},
    {"certificate", &kFilePath, "", R"("/etc/headgate/redis.pem")",
     "PEM file of the gateway's own certificate chain, where Redis asks for one"},
    {"key", &kFilePath, "", R"("/etc/headgate/redis-key.pem")", "PEM file of its key"},
    {"server_name", &kText, "", R"("redis.internal")",
     "What Redis's certificate has to be for; the host connected to where it is left out"},
    {"verify", &kBoolean, "true", "true", "`false` believes any certificate: only for trying things out"},
};
constexpr Section kTls{"redis_tls", "redis.tls", "TLS to Redis, and to its Sentinels.", kTlsKeys};
constexpr Shape kSentinelShape = section(kSentinel);
constexpr Shape kTlsShape = section(kTls);
constexpr Shape kDatabase = integer(0, 1'000'000);
constexpr Shape kKeyPrefix = text("a key prefix", check_key_prefix);
constexpr Shape kInstances = integer(1, 10'000);
constexpr Shape kInFlight = integer(1, 1'000'000);
constexpr std::string_view kLater[] = {"nodes", "connections", "lease"};
constexpr Key kKeys[] = {
    {"url", &kUrl, "", R"("redis://127.0.0.1:6379/0")",
     "One server: `redis://[user[:password]@]host[:port][/database]`, or `rediss://` for TLS"},
    {"cluster", &kNodes, "", R"(["redis-1:6379", "redis-2:6379"])",
     "Some nodes of a Redis Cluster, `host:port` each; they name the others"},
    {"sentinel", &kSentinelShape, "", R"({ "master": "headgate", "nodes": ["sentinel-1:26379"] })",
     "A master found through Redis Sentinel"},
    {"tls", &kTlsShape, "", R"({ "ca": "/etc/headgate/redis-ca.pem" })",
     "TLS, for `cluster`, `sentinel` and `rediss://`"},
    {"database", &kDatabase, "", "0", "The database's number, where `url` does not say; 0 where nothing says"},
    {"username", &kText, "", R"("headgate")", "ACL user; the default user where it is left out"},
    {"password", &kText, "", R"("${REDIS_PASSWORD}")", "Its password"},
    {"timeout", &kDuration, "20ms", R"("20ms")", "No request ever waits longer than this for Redis"},
    {"if_down", &kIfDown, "count_locally", R"("count_locally")",
     "What limits do while Redis cannot be asked: `allow`, `reject`, or `count_locally` in this gateway's memory"},
    {"key_prefix", &kKeyPrefix, "hg:", R"("hg:prod:")", "Gateways with one prefix share their counters"},
    {"instances", &kInstances, "1", "4",
     "How many gateways share the budget: each grants its part of it while counting locally"},
    {"max_in_flight", &kInFlight, "1024", "1024",
     "Calls a worker may have under way; beyond it Redis counts as unavailable"},
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
