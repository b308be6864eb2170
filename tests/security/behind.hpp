#pragma once
// A gateway with a real server, once for each kind of server.

#include "blackbox/harness/gateway.hpp"
#include "security/real_server.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace headgate::test {

/// The fixture of attacks that a real server has to see to tell. `changes` of start() are merged into a gateway with
/// one upstream "app", which is the server, and one open route "/*" to it.
///
///   TEST_P(Behind, NoTokenNoAdmin) {
///     if (!start({{"routes", ...}})) return;
///     EXPECT_EQ(client().get("/admin").status(), 401);
///   }
class Behind : public testing::TestWithParam<RealServer::Kind> {
 protected:
  /// False if the test is over: skipped, or failed.
  bool start(const Json& changes = Json::object()) {
    if (const auto missing = server_.missing(); !missing.empty()) {
      skip(missing);
      return false;
    }
    if (!server_.start()) {
      ADD_FAILURE() << server_.said();
      return false;
    }
    Json config = {{"listen", "127.0.0.1:0"},
                   {"workers", 1},
                   {"drain", "2s"},
                   {"admin", "off"},
                   {"log", {{"access", "off"}}},
                   {"upstreams", {{"app", server_.url()}}},
                   {"routes", Json::array({{{"path", "/*"}, {"to", "app"}}})}};
    config.merge_patch(changes);
    gateway_ = std::make_unique<Gateway>(config);
    return gateway_->port() != 0;
  }
  RealServer& server() { return server_; }
  Gateway& gateway() { return *gateway_; }
  RawClient client(const std::string& source = "") const { return gateway_->client(source); }

 private:
  static void skip(const std::string& why) { GTEST_SKIP() << why; }

  RealServer server_{GetParam()};
  std::unique_ptr<Gateway> gateway_;
};

#define HEADGATE_BEHIND_EVERY_SERVER(Fixture)                                                                        \
  INSTANTIATE_TEST_SUITE_P(RealServers, Fixture,                                                                     \
                           testing::Values(RealServer::Kind::nginx, RealServer::Kind::wsgi, RealServer::Kind::node), \
                           [](const auto& each) { return to_text(each.param); })

}  // namespace headgate::test
