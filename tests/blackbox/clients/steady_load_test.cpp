// A hundred reloads and ten upgrades under load, with a crowd of tunnels: no request fails, no tunnel breaks.

#include "blackbox/harness/upgraded.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

namespace headgate::test {
namespace {

constexpr int kReloads = 100;
constexpr int kUpgrades = 10;

/// Clients that keep their connections, and clients that make one for each request.
class SteadyLoad {
 public:
  explicit SteadyLoad(const Gateway& gateway) : gateway_(gateway) {
    for (int i = 0; i < 3; ++i) threads_.emplace_back([this] { keep_asking(); });
    for (int i = 0; i < 2; ++i) threads_.emplace_back([this] { come_and_go(); });
  }
  ~SteadyLoad() { end(); }
  void end() {
    stop_ = true;
    for (auto& each : threads_) each.join();
    threads_.clear();
  }
  int answered() const { return answered_; }
  std::vector<std::string> failures() const {
    const std::lock_guard lock(mutex_);
    return failures_;
  }

 private:
  bool ask(RawClient& client, const char* who) {
    const bool open = client.is_open();
    const auto answer = client.get("/", "X-Test-Bytes: 3000\r\n");
    if (answer.ok() && answer.status() == 200) {
      ++answered_;
    } else {
      const std::lock_guard lock(mutex_);
      failures_.push_back(std::string(who) + (open ? ": " : " was refused: ") + answer.error + visible(answer.head));
    }
    return !same_name(answer.value("Connection"), "close") && answer.ok();
  }
  void keep_asking() {
    auto client = gateway_.client();
    while (!stop_)
      if (!ask(client, "a connection that is kept")) client = gateway_.client();
  }
  void come_and_go() {
    while (!stop_) {
      auto client = gateway_.client();
      ask(client, "a new connection");
    }
  }

  const Gateway& gateway_;
  std::atomic<bool> stop_{false};
  std::atomic<int> answered_{0};
  mutable std::mutex mutex_;
  std::vector<std::string> failures_;
  std::vector<std::thread> threads_;
};

/// Tunnels that were opened before.
class TunnelCrowd {
 public:
  TunnelCrowd(const Gateway& gateway, int size) {
    for (int i = 0; i < size; ++i) {
      auto& client = clients_.emplace_back(gateway.client());
      client.send(request("GET", "/ws", "Connection: upgrade\r\nUpgrade: x\r\n"));
      EXPECT_EQ(client.read_head().status(), 101);
    }
  }
  int broken() {
    int out = 0;
    for (auto& each : clients_) {
      each.send("ping");
      out += each.read_bytes(4) == "ping" ? 0 : 1;
    }
    return out;
  }
  void close() { clients_.clear(); }

 private:
  std::vector<RawClient> clients_;
};

/// The n-th of many files, each of them different from the one before.
Json variant(int n) {
  Json out = {{"workers", 2},
              {"limits", {{"x", {{"rate", std::to_string(1'000'000 - n) + "/second"}, {"per", "client_ip"}}}}},
              {"all_routes", {{"limits", {"x"}}}},
              {"bounds", {{"connections", 5000 + n}}},
              {"log", {{"format", "json"}, {"access", n % 4 < 2 ? "off" : "stdout"}}},
              {"listen", Json::array({"127.0.0.1:0"})}};
  if (n % 2 == 1) out["listen"].push_back("127.0.0.1:0");
  if (n % 3 == 1) out["timeouts"] = {{"idle", "30s"}};
  return out;
}

void expect_no_failure(SteadyLoad& load, int at_least) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (load.answered() < at_least && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(Milliseconds(5));
  load.end();
  const auto failures = load.failures();
  EXPECT_EQ(failures.size(), 0U) << (failures.empty() ? "" : failures.front());
  EXPECT_GE(load.answered(), at_least);
}

TEST(SteadyLoad, SurvivesReloads) {
  Reloaded gateway(variant(0));
  TunnelCrowd crowd(gateway.gateway(), 50);
  SteadyLoad load(gateway.gateway());
  for (int n = 1; n <= kReloads; ++n) {
    ASSERT_TRUE(gateway.reload(variant(n))) << n;
    if (n % 10 == 0) {
      EXPECT_EQ(crowd.broken(), 0) << "after " << n;
    }
  }
  expect_no_failure(load, kReloads * 10);
  EXPECT_EQ(crowd.broken(), 0);
}

TEST(SteadyLoad, SurvivesUpgrades) {
  Upgraded upgraded(variant(0));
  TunnelCrowd crowd(upgraded.gateway.gateway(), 50);
  SteadyLoad load(upgraded.gateway.gateway());
  for (int n = 1; n <= kUpgrades; ++n) {
    upgraded.gateway.write(variant(2 * n));
    ASSERT_TRUE(upgraded.upgrade()) << upgraded.gateway.process().err();
    EXPECT_EQ(crowd.broken(), 0) << "after " << n;
  }
  expect_no_failure(load, kUpgrades * 50);
  EXPECT_EQ(crowd.broken(), 0);
  crowd.close();
}

}  // namespace
}  // namespace headgate::test
