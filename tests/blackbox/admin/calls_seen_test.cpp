// Calls of the rate limit service, as operators see them: routes, traffic, limits, keys and overrides.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/real_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

namespace headgate::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const char* const kServiceFile = R"({
  "listen": { "address": "127.0.0.1:0", "protocol": "rate_limit_service" },
  "admin": { "listen": "127.0.0.1:0" },
  "identity": { "trusted_proxies": ["127.0.0.1/32"] },
  "log": { "format": "json", "descriptors": ["remote_address"] },
  "limits": {
    "login": { "rate": "3/hour", "algorithm": "fixed_window", "per": "descriptor:remote_address" },
    "api": { "rate": "100/hour", "per": "total" }
  },
  "decide": [
    { "domain": "edge", "match": { "remote_address": "*", "generic_key": "login" }, "limits": ["login"] },
    { "domain": "edge", "match": { "path": "/api/*" }, "limits": ["api"] }
  ],
  "routes": [{ "name": "rest", "path": "/", "respond": { "status": 404 } }]
})";
const std::string kLoginEntry = "edge: generic_key=login, remote_address=*";

TEST(RoutesOfDescriptors, ComeLastAndNameTheirDescriptors) {
  const TemporaryFile file(kServiceFile);
  const Ran here = run_headgate({"routes", "-c", file.path(), "--json"});
  const auto rows = Json::parse(here.out).at("routes");
  ASSERT_EQ(rows.size(), 3U) << here.err;
  EXPECT_EQ(rows[0].at("route"), "rest");
  EXPECT_EQ(rows[1], Json::parse(R"({ "route": "edge: generic_key=login, remote_address=*", "domain": "edge",
    "match": { "generic_key": "login", "remote_address": "*" }, "limits": ["login"] })"));
  EXPECT_EQ(rows[2].at("route"), "edge: path=/api/*");
  EXPECT_THAT(
      run_headgate({"routes", "-c", file.path()}).out,
      testing::ContainsRegex("\n" + std::string("edge: path=/api/\\*") + " +\\(descriptors\\) +decides +api\n"));
  Gateway gateway(Words{"run", "-c", file.path()});
  const Operator look(gateway.process());
  EXPECT_EQ(Json::parse(run_headgate({"routes", "--admin", look.url(), "--json"}).out).at("routes"), rows);
  EXPECT_EQ(look.get("/api/v1/routes?name=edge%3A%20path%3D%2Fapi%2F%2A").at("routes").at(0), rows[2]);
}

class CallsSeen : public testing::Test {
 protected:
  void SetUp() override {
    Process probe({"-c", "import grpc"}, {}, kPython);
    if (probe.wait(std::chrono::seconds(30)) != 0) GTEST_SKIP() << "no grpc for " << kPython;
  }
  std::string ask(int times, const std::string& descriptor) {
    Process asking({HEADGATE_SOURCE_DIR "/tests/blackbox/clients/rate_limit.py", std::to_string(gateway_.port()),
                    std::to_string(times), "edge", descriptor},
                   {}, kPython);
    EXPECT_EQ(asking.wait(std::chrono::seconds(60)), 0) << asking.err();
    return asking.out();
  }
  /// Waits until the answer to a GET has what is wanted.
  template <class Wanted>
  Json comes_to(const std::string& target, Wanted wanted) const {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    auto now = look_.get(target);
    while (!wanted(now) && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(Milliseconds(20));
      now = look_.get(target);
    }
    return now;
  }

  const TemporaryFile file_{kServiceFile};
  Gateway gateway_{Words{"run", "-c", file_.path()}};
  const Operator look_{gateway_.process()};
};

TEST_F(CallsSeen, HaveTrafficUnderTheNameOfTheirEntry) {
  ask(5, "generic_key=login,remote_address=203.0.113.9");
  ask(1, "path=/api/a");
  const auto is_login = [](const Json& row) { return row.at("route") == kLoginEntry; };
  const auto told = comes_to("/api/v1/traffic?window=1m", [&](const Json& now) {
    return now.at("routes").size() == 2 && std::ranges::any_of(now.at("routes"), is_login);
  });
  ASSERT_EQ(told.at("routes").size(), 2U) << told;
  const auto row = *std::ranges::find_if(told.at("routes"), is_login);
  EXPECT_GT(row.at("requests_per_second"), 0);
  EXPECT_GT(row.at("statuses_per_second").at("429"), 0);
  EXPECT_THAT(run_headgate({"traffic", "--once", "--admin", look_.url()}).out, HasSubstr(kLoginEntry));
}

TEST_F(CallsSeen, HaveLimitsWithKeysStateAndOverrides) {
  const std::string descriptor = "generic_key=login,remote_address=203.0.113.9";
  ask(5, descriptor);
  const auto limits = look_.get("/api/v1/limits").at("limits");
  const auto login = *std::ranges::find_if(limits, [](const Json& each) { return each.at("limit") == "login"; });
  EXPECT_EQ(login.at("per"), Json({"descriptor:remote_address"}));
  EXPECT_EQ(login.at("keys_in_memory"), 1);
  const auto top =
      comes_to("/api/v1/limits/login/top?by=rejected", [](const Json& now) { return now.value("requests", 0) == 2; });
  ASSERT_EQ(top.at("keys").size(), 1U) << top;
  EXPECT_EQ(top.at("keys")[0].at("key"), "203.0.113.9");
  const auto key = look_.get("/api/v1/limits/login/keys/203.0.113.9");
  EXPECT_EQ(key.at("rules").at(0).at("used"), 3);
  EXPECT_EQ(key.at("rules").at(0).at("next_request"), "rejected");
  const auto put = look_.ask("PUT", "/api/v1/limits/login/overrides/203.0.113.9", R"({"rate": "5/hour", "for": "1h"})");
  ASSERT_EQ(put.status(), 201) << put.body;
  EXPECT_THAT(ask(1, descriptor), StartsWith("OK; OK login 5 3 1"));
  const auto told = Json::parse(
      look_
          .ask("POST", "/api/v1/explain",
               R"({"domain": "edge", "descriptors": [{"remote_address": "203.0.113.9", "generic_key": "login"}]})")
          .body);
  const auto& explained = told.at("call").at("descriptors").at(0).at("limits").at(0);
  EXPECT_EQ(explained.at("tier"), "override");
  EXPECT_EQ(explained.at("rules").at(0).at("remaining"), 1);
  EXPECT_EQ(look_.get("/api/v1/limits/login/keys/203.0.113.9").at("override").at("rate"), "5/hour");
  EXPECT_THAT(ask(2, descriptor), HasSubstr("OVER_LIMIT; OVER_LIMIT login 5 3 0"));
  EXPECT_THAT(ask(1, "generic_key=login,remote_address=203.0.113.10"), StartsWith("OK; OK login 3 3 2"));
}

}  // namespace
}  // namespace headgate::test
