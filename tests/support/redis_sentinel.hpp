#pragma once
// A Redis master, its replicas, and the Sentinels that watch them, for one test.

#include "redis_cli.hpp"
#include "redis_server.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace headgate::test {

/// A master, two replicas and three Sentinels. A master that is silent for half a second is replaced. Test thread only.
class RedisSentinel {
 public:
  /// Starts all processes, and waits until they know each other. Returns false after 20 seconds; see error().
  bool start() {
    if (!servers[0].start({"--repl-diskless-sync-delay", "0"})) return fail(servers[0].error());
    for (std::size_t i = 1; i < servers.size(); ++i)
      if (!servers[i].start({"--replicaof", "127.0.0.1 " + std::to_string(servers[0].port()),
                             "--repl-diskless-sync-delay", "0", "--replica-priority", std::to_string(10 * i)}))
        return fail(servers[i].error());
    if (!wait_until(
            [&] { return info(servers[0].port(), "replication").find("connected_slaves:2") != std::string::npos; }))
      return fail("the replicas did not find their master");
    for (auto& sentinel : sentinels)
      if (!sentinel.start_sentinel(
              "sentinel monitor shop 127.0.0.1 " + std::to_string(servers[0].port()) +
              " 2\nsentinel down-after-milliseconds shop 500\nsentinel failover-timeout shop 3000\n"
              "sentinel parallel-syncs shop 2"))
        return fail(sentinel.error());
    for (const auto& sentinel : sentinels)
      if (!wait_until(
              [&] { return info(sentinel.port(), "sentinel").find("slaves=2,sentinels=3") != std::string::npos; }))
        return fail("the Sentinels did not find each other");
    return true;
  }

  /// Returns the current master, as a Sentinel reports it; null if that is none of these servers.
  RedisServer* master() {
    const std::string said = redis_cli(sentinels[2].port(), "SENTINEL GET-MASTER-ADDR-BY-NAME shop");
    for (auto& server : servers)
      if (said.ends_with("\n" + std::to_string(server.port()))) return &server;
    return nullptr;
  }

  const std::string& error() const { return error_; }

  std::array<RedisServer, 3> servers;
  std::array<RedisServer, 3> sentinels;

 private:
  static std::string info(std::uint16_t port, const std::string& section) { return redis_cli(port, "INFO " + section); }
  bool fail(std::string why) {
    error_ = std::move(why);
    return false;
  }
  std::string error_;
};

}  // namespace headgate::test
