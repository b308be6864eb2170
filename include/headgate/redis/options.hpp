#pragma once
// What a configuration says of Redis.

#include "headgate/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headgate::redis {

/// single: one server. sentinel: the Sentinels know which server is the master. cluster: keys are spread over the
/// masters by slot.
enum class Topology { single, sentinel, cluster };

struct Node {
  std::string host = "127.0.0.1";  ///< name or address
  std::uint16_t port = 6379;
  bool operator==(const Node&) const = default;
};
std::string name_of(const Node& node);  ///< "host:port", an IPv6 address in brackets

/// TLS to Redis, and to the Sentinels where there are any. TLS 1.2 or later.
struct TlsOptions {
  std::string ca;           ///< PEM file of the authorities to trust; empty: the system's
  std::string certificate;  ///< PEM file of our own chain, where Redis asks for one; empty: none
  std::string key;          ///< PEM file
  std::string server_name;  ///< what the certificate must be for; empty: the host connected to
  bool verify = true;       ///< false believes any certificate: only for trying things out
  bool operator==(const TlsOptions&) const = default;
};

/// All that the user of `username` needs (a test takes the rule from here):
///   ACL SETUSER gate on >secret ~hg:* +evalsha +eval +script|load +role +time +get +set +del
///   +llen +lindex +lpush +rpush +ltrim +pexpire
/// and in a cluster also +cluster|slots +asking. It works without +script|load and +role as well: the script is then
/// sent when it is missing, and a replica noticed at the first call. Sentinels: +sentinel|get-master-addr-by-name, and
/// +subscribe &+switch-master so that a new master is followed at once and not within a second.
struct Options {
  Topology topology = Topology::single;
  std::vector<Node> nodes{Node{}};  ///< the server; the Sentinels; or some nodes of the cluster, which name the others
  std::string master;               ///< what the Sentinels call it
  std::uint32_t database = 0;       ///< always 0 in a cluster
  std::string username;             ///< ACL user; empty for the default user
  std::string password;             ///< never logged
  std::string sentinel_username;
  std::string sentinel_password;  ///< never logged
  std::optional<TlsOptions> tls;
  std::string key_prefix = "hg:";  ///< gateways with one prefix share their counters; in a cluster without "{}", which
                                   ///< would scatter the keys of a caller over slots
  Duration timeout = std::chrono::milliseconds(20);  ///< no request waits longer than this for Redis
  std::uint32_t instances = 1;  ///< gateways that share the budget: each grants 1/instances while counting locally
  std::uint32_t workers = 1;    ///< limiters of this process: with `instances`, how many may hold a lease of one key
  std::uint32_t max_in_flight = 1024;  ///< calls a worker may have under way; beyond it Redis counts as unavailable
  bool operator==(const Options&) const = default;
};

}  // namespace headgate::redis
