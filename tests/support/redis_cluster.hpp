#pragma once
// A Redis Cluster for one test.

#include "redis_cli.hpp"
#include "redis_server.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <sstream>
#include <string>

namespace headgate::test {

/// Three masters that own a third of the slots each, with `replicas` replicas each. A master that is silent for a
/// second is replaced. Test thread only.
class RedisCluster {
 public:
  static constexpr std::size_t kMasters = 3;

  /// Waits until all nodes agree on the owners of the slots. Returns false after about 20 seconds; see error().
  bool start(std::size_t replicas) {
    std::string names;
    for (std::size_t i = 0; i < kMasters * (1 + replicas); ++i) {
      auto& node = nodes.emplace_back();
      if (!node.start({"--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--repl-diskless-sync-delay", "0",
                       "--cluster-replica-validity-factor", "0"}))
        return fail(node.error());
      names += " 127.0.0.1:" + std::to_string(node.port());
    }
    const std::string made =
        redis_cli("--cluster create" + names + " --cluster-replicas " + std::to_string(replicas) + " --cluster-yes");
    if (made.find("All 16384 slots covered") == std::string::npos) return fail(made);
    if (!wait_until([&] { return agreed(replicas); })) return fail("the nodes do not agree: " + made);
    return true;
  }

  /// Returns the node that claims to own `slot`; null if no node does.
  RedisServer* owner(std::uint16_t slot) {
    for (auto& node : nodes)
      if (node.pid() != 0 && owns(node, slot)) return &node;
    return nullptr;
  }
  std::string id(const RedisServer& node) { return redis_cli(node.port(), "CLUSTER MYID"); }

  const std::string& error() const { return error_; }

  std::deque<RedisServer> nodes;

 private:
  /// Returns whether the node owns the slot. It reports itself in a line "<id> ip:port@bus myself,master - 0 0 1
  /// connected 0-5460 5500 [...]".
  static bool owns(const RedisServer& node, std::uint16_t slot) {
    const std::string all = redis_cli(node.port(), "CLUSTER NODES");
    const auto me = all.find("myself,master");
    if (me == std::string::npos) return false;
    std::istringstream words(all.substr(me, all.find('\n', me) - me));
    std::string word;
    for (int i = 0; words >> word; ++i) {
      if (i < 6 || word.starts_with('[')) continue;
      const int first = std::stoi(word);
      const auto dash = word.find('-');
      const int last = dash == std::string::npos ? first : std::stoi(word.substr(dash + 1));
      if (first <= slot && slot <= last) return true;
    }
    return false;
  }

  bool agreed(std::size_t replicas) {
    for (auto& node : nodes) {
      if (redis_cli(node.port(), "CLUSTER INFO").find("cluster_state:ok") == std::string::npos) return false;
      const std::string all = redis_cli(node.port(), "CLUSTER NODES");
      std::size_t slaves = 0;
      for (auto at = all.find("slave "); at != std::string::npos; at = all.find("slave ", at + 1)) ++slaves;
      if (slaves != kMasters * replicas) return false;
      const std::string replication = redis_cli(node.port(), "INFO replication");
      if (replication.find("role:slave") != std::string::npos &&
          replication.find("master_link_status:up") == std::string::npos)
        return false;
    }
    return true;
  }

  bool fail(std::string why) {
    error_ = std::move(why);
    return false;
  }
  std::string error_;
};

}  // namespace headgate::test
