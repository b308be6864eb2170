#pragma once
// A gateway whose server uses TLS.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/real_server.hpp"
#include "support/certificates.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headgate::test {

/// Certificates for all tests of a suite: of "server" for localhost and 127.0.0.1, of "gateway", and others.
class WithCertificates : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!Certificates::possible()) return;
    files = new Certificates;
    files->make("server", "DNS:localhost,IP:127.0.0.1");
    files->make("gateway", "DNS:gateway");
    files->make("other", "DNS:other.example");
    files->make("expired", "DNS:localhost,IP:127.0.0.1", -1);
  }
  static void TearDownTestSuite() { delete std::exchange(files, nullptr); }
  void SetUp() override {
    if (files == nullptr) GTEST_SKIP() << "no openssl on this machine";
  }

  static Json trusting(const Json& more = Json::object()) {
    Json tls = {{"ca", files->path("ca.crt")}};
    tls.merge_patch(more);
    return tls;
  }
  /// The configuration of a gateway in front of one server with TLS.
  static Json in_front_of(std::uint16_t port, const Json& tls, const Json& changes = Json::object()) {
    Json config = {{"listen", "127.0.0.1:0"},
                   {"workers", 1},
                   {"drain", "2s"},
                   {"admin", {{"listen", "127.0.0.1:0"}}},
                   {"log", {{"format", "json"}}},
                   {"upstreams", {{"app", {{"servers", {"https://127.0.0.1:" + std::to_string(port)}}, {"tls", tls}}}}},
                   {"routes", Json::array({{{"path", "/*"}, {"to", "app"}}})}};
    config.merge_patch(changes);
    return config;
  }

  static inline Certificates* files = nullptr;
};

}  // namespace headgate::test
