#pragma once
// The part of the configuration for Redis.

#include "headgate/core/time.hpp"
#include "headgate/net/tls/tls_options.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headgate::redis {

/// single: one server. sentinel: the Sentinels know which server is the master. cluster: keys are spread over the
/// masters by slot.
enum class Topology { single, sentinel, cluster };

struct RedisNode {
  std::string host = "127.0.0.1";  ///< name or address
  std::uint16_t port = 6379;
  bool operator==(const RedisNode&) const = default;
};
/// "host:port", an IPv6 address in brackets.
inline std::string name_of(const RedisNode& node) {
  const bool colons = node.host.find(':') != std::string::npos;
  return (colons ? "[" + node.host + "]" : node.host) + ":" + std::to_string(node.port);
}

using net::TlsOptions;  ///< to Redis, and to the Sentinels where there are any

/// All rights that the user of `username` needs (a test reads the rule here):
///   ACL SETUSER gate on >secret ~hg:* +evalsha +eval +script|load +role +time +get +set +del +llen +lindex
///   +lpush +rpush +ltrim +pexpire +zadd +zcount +zrangebyscore +zrem +zremrangebyscore +zscore
/// For suspensions and overrides (RedisSharedLog) also +xadd +xdel +xrange +pttl +hset +hgetall +hdel.
/// For billed use (RedisLedger) also +hget +hgetall +hlen +hmget +hset. For waiting rooms also +getrange +setrange.
/// For SharedLimiter::forget also +scan +unlink +dbsize.
/// In a cluster also +cluster|slots +asking. Marks of notices and fingerprints need nothing else.
/// It works without +script|load and +role too: then the gateway sends the script when it is missing, and notices a
/// replica at the first call. Sentinels: +sentinel|get-master-addr-by-name. With +subscribe &+switch-master the gateway
/// follows a new master at once, else within a second.
struct RedisOptions {
  Topology topology = Topology::single;
  /// The server; the Sentinels; or some nodes of the cluster, which name the others.
  std::vector<RedisNode> nodes{RedisNode{}};
  std::string master;          ///< the Sentinels' name for it
  std::uint32_t database = 0;  ///< always 0 in a cluster
  std::string username;        ///< ACL user; empty for the default user
  std::string password;        ///< never logged
  std::string sentinel_username;
  std::string sentinel_password;  ///< never logged
  std::optional<TlsOptions> tls;
  /// Gateways with one prefix share their counters. In a cluster it must not have "{}", because that would spread the
  /// keys of a caller over slots.
  std::string key_prefix = "hg:";
  Duration timeout = std::chrono::milliseconds(20);  ///< no request waits longer than this for Redis
  std::uint32_t instances = 1;  ///< gateways that share the limits: each grants 1/instances while it counts locally
  std::uint32_t workers = 1;    ///< limiters of this process; `instances` times this many may hold a lease of one key
  std::uint32_t max_in_flight = 1024;  ///< maximum of active calls of a worker; beyond it Redis counts as unavailable
  bool tells = true;                   ///< an event says when Redis is lost, and when it is found
  bool operator==(const RedisOptions&) const = default;
};

}  // namespace headgate::redis
