#pragma once
// The options of Redis; config fills them.

#include "headgate/core/time.hpp"
#include "headgate/net/tls/tls_options.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headgate::redis {

/// single means one server; sentinel means that Sentinels name the master; cluster means that keys are spread over the
/// masters by slot.
enum class Topology { single, sentinel, cluster };

struct RedisNode {
  std::string host = "127.0.0.1";  ///< name or address of the server
  std::uint16_t port = 6379;
  bool operator==(const RedisNode&) const = default;
};
/// Returns "host:port", with an IPv6 address in brackets.
inline std::string name_of(const RedisNode& node) {
  const bool colons = node.host.find(':') != std::string::npos;
  return (colons ? "[" + node.host + "]" : node.host) + ":" + std::to_string(node.port);
}

using net::TlsOptions;  ///< TLS options for connections to Redis and, if configured, to the Sentinels

/// All rights that the user of `username` needs (a test reads the rule here):
///   ACL SETUSER gate on >secret ~hg:* +evalsha +eval +script|load +role +time +get +set +del +llen +lindex
///   +lpush +rpush +ltrim +pexpire +zadd +zcount +zrangebyscore +zrem +zremrangebyscore +zscore
/// For suspensions and overrides (RedisSharedLog) also +xadd +xdel +xrange +pttl +hset +hgetall +hdel.
/// For billed use (RedisLedger) also +hget +hgetall +hlen +hmget +hset. For waiting rooms also +getrange +setrange.
/// For SharedLimiter::forget also +scan +unlink +dbsize.
/// In a cluster also +cluster|slots +asking. Marks of notices and fingerprints need nothing else.
/// Without +script|load and +role the gateway works too: it sends the script when it is missing, and notices a replica
/// at the first call. Sentinels: +sentinel|get-master-addr-by-name. With +subscribe &+switch-master the gateway follows
/// a new master at once, otherwise within a second.
struct RedisOptions {
  Topology topology = Topology::single;
  /// The server, the Sentinels, or some nodes of the cluster, which name the others.
  std::vector<RedisNode> nodes{RedisNode{}};
  std::string master;          ///< the name of the master in the Sentinels' configuration
  std::uint32_t database = 0;  ///< number of the database; always 0 in a cluster
  std::string username;        ///< ACL user; empty for the default user
  std::string password;        ///< password of the user; never logged
  std::string sentinel_username;
  std::string sentinel_password;  ///< password for the Sentinels; never logged
  std::optional<TlsOptions> tls;
  /// Gateways with the same prefix share their counters. In a cluster the prefix must not contain "{}", which would
  /// spread the keys of a caller over several slots.
  std::string key_prefix = "hg:";
  Duration timeout = std::chrono::milliseconds(20);  ///< no request waits longer than this for Redis
  /// number of gateways that share the limits: each grants 1/instances while it counts locally
  std::uint32_t instances = 1;
  /// number of limiters of this process; `instances` times this many may hold a lease of one key
  std::uint32_t workers = 1;
  /// maximum number of active calls of a worker; if it is reached, Redis counts as unavailable
  std::uint32_t max_in_flight = 1024;
  bool tells = true;  ///< whether events report that Redis is lost and found again
  bool operator==(const RedisOptions&) const = default;
};

}  // namespace headgate::redis
