#pragma once
// The decision script as it is shipped, in a real Redis on its real clock.

#include "contract/redis_client.hpp"
#include "support/rules.hpp"

#include "headgate/limit/script.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headgate::test {

class ShippedScript {
 public:
  explicit ShippedScript(std::uint16_t port) : client(port) {
    EXPECT_EQ(client.text({"SCRIPT", "LOAD", std::string(limit::decide_script())}), limit::decide_script_sha());
  }

  /// Checks for kOwner as a gateway does whose own clock shows `here`.
  limit::Decision decide(const limit::Rule& rule, std::int64_t cost, Instant here) {
    const limit::Check check = make_check(rule, kOwner, cost);
    std::vector<std::string> arguments;
    limit::script_arguments({&check, 1}, "hg:", here, arguments);
    std::vector<std::string> words = {"EVALSHA", std::string(limit::decide_script_sha())};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::string error;
    const auto reply = client.integers(words, error);
    limit::Decision decision;
    bool all_allowed = false;
    EXPECT_TRUE(reply) << error;
    EXPECT_TRUE(reply && limit::read_script_reply(*reply, {&check, 1}, {&decision, 1}, all_allowed));
    return decision;
  }
  /// Returns milliseconds; -2 if the counter is gone.
  std::int64_t left_to_live() { return std::stoll(client.text({"PTTL", kKey})); }

  static Instant now() { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

  static constexpr const char* kOwner = "org_42";
  static constexpr const char* kKey = "hg:v1:{org_42}:plan:";  ///< the key of that counter
  RedisClient client;
};

}  // namespace headgate::test
