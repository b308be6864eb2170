#pragma once
// A keyring on the loop of the test, tokens to try its keys with, and its log.

#include "support/jwt_signer.hpp"

#include "headgate/keyring/keyring.hpp"

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::keyring::test {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

/// The secret that goes by `name`; 32 bytes, as HS256 wants them.
inline std::string secret(std::string_view name) {
  std::string out(name);
  out.resize(32, '.');
  return out;
}

/// A JWK Set of such secrets, each with its name as `kid`.
inline std::string jwk_set(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) {
    out += out.empty() ? "" : ",";
    out +=
        R"({"kty":"oct","alg":"HS256","kid":")" + name + R"(","k":")" + headgate::test::base64url(secret(name)) + "\"}";
  }
  return R"({"keys":[)" + out + "]}";
}

class KeyringTest : public testing::Test {
 protected:
  KeyringTest() {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(log, true);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", std::move(sink)));
    policy.look = 2ms;
    policy.first_retry = policy.longest_retry = 5ms;
    policy.shortest_life = 1ms;
  }
  ~KeyringTest() override {
    if (keyring) keyring->stop();
    spdlog::set_default_logger(usual_logger);
  }

  /// An issuer of tokens with HS256 that are fetched again each few milliseconds.
  identity::JwtIssuer& add_issuer() {
    if (!options.jwt) options.jwt.emplace();
    auto& issuer = options.jwt->issuers.emplace_back();
    issuer.algorithms = {identity::JwtAlgorithm::HS256};
    issuer.keys.refresh = 5ms;
    issuer.keys.refetch = 1ms;
    return issuer;
  }

  Result<std::shared_ptr<Keyring>, std::string> try_open(const Keyring* before = nullptr) {
    return Keyring::open(loop, options, before, policy);
  }
  void open(const Keyring* before = nullptr) {
    const auto opened = try_open(before);
    ASSERT_TRUE(opened.has_value()) << opened.error();
    keyring = *opened;
  }
  void start() {
    open();
    if (keyring) keyring->start([this](auto next) { published.push_back(std::move(next)); });
  }
  std::string why_not_open() {
    const auto opened = try_open();
    EXPECT_TRUE(opened.has_error());
    return opened.has_error() ? opened.error() : "";
  }

  bool run_until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!done() && std::chrono::steady_clock::now() < end) {
      if (loop.stopped()) loop.restart();
      loop.run_one_for(10ms);
    }
    return done();
  }
  SourceReport report(std::size_t source = 0) const { return keyring->reports().at(source); }
  bool run_until_failed() {
    const auto before = report().failures;
    return run_until([&] { return report().failures > before; });
  }
  /// Runs until this many more fetches have succeeded.
  bool run_fetches(std::uint64_t count) {
    const auto before = report().successes;
    return run_until([&] { return report().successes >= before + count; });
  }

  /// The result for a token signed with the secret of this name: "" if it is valid.
  std::string refusal(const std::string& name) const {
    const auto token = headgate::test::sign_hs256(secret(name), R"({"sub":"joe"})",
                                                  R"({"alg":"HS256","typ":"JWT","kid":")" + name + "\"}");
    const auto verified = keyring->now()->jwt->verify(token, headgate::now());
    return verified.has_value() ? "" : std::string(to_text(verified.error().error));
  }
  bool believes(const std::string& name) const { return refusal(name).empty(); }

  std::size_t logged(std::string_view text) const {
    const auto all = log.str();
    std::size_t count = 0;
    for (auto at = all.find(text); at != all.npos; at = all.find(text, at + 1)) ++count;
    return count;
  }

  std::shared_ptr<spdlog::logger> usual_logger = spdlog::default_logger();
  std::ostringstream log;
  boost::asio::io_context loop{1};
  RefreshPolicy policy;
  identity::IdentityOptions options;
  std::shared_ptr<Keyring> keyring;
  std::vector<std::shared_ptr<const identity::Credentials>> published;
};

}  // namespace headgate::keyring::test
