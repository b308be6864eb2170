// Envoy's rate limit service, asked by gRPC's library of Node: its messages, TLS with client certificates, and callers
// that go on while the gateway reloads or ends.

#include "blackbox/grpc/calling.hpp"
#include "blackbox/harness/reloaded.hpp"
#include "blackbox/tls/tls_gateway.hpp"
#include "support/redis_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace headgate::test {
namespace {

using testing::ElementsAre;

const std::string kAskingOverJs = HEADGATE_SOURCE_DIR "/tests/blackbox/clients/rate_limit.js";
const std::string kRateLimitModules = HEADGATE_SOURCE_DIR "/build/npm/node_modules";

Json deciding(const Json& changes = Json::object()) {
  Json out = {
      {"listen", {{"address", "127.0.0.1:0"}, {"protocol", "rate_limit_service"}}},
      {"admin", "off"},
      {"identity", {{"trusted_proxies", {"127.0.0.1/32"}}}},
      {"limits",
       {{"login", {{"rate", "3/hour"}, {"per", "descriptor:remote_address"}}},
        {"api", {{"rate", "50/hour"}, {"per", "total"}}}}},
      {"decide",
       {{{"domain", "edge"}, {"match", {{"generic_key", "login"}, {"remote_address", "*"}}}, {"limits", {"login"}}},
        {{"domain", "edge"}, {"match", {{"path", "/api/*"}}}, {"limits", {"api"}}}}},
      {"routes", {{{"path", "/"}, {"respond", {{"status", 404}}}}}}};
  out.merge_patch(changes);
  return out;
}

Json descriptor(const std::map<std::string, std::string>& entries, const Json& more = Json::object()) {
  Json out = {{"entries", Json::array()}};
  for (const auto& [key, value] : entries) out["entries"].push_back({{"key", key}, {"value", value}});
  out.update(more);
  return out;
}
Json about_login(const std::string& address, const Json& more = Json::object()) {
  return descriptor({{"generic_key", "login"}, {"remote_address", address}}, more);
}
Json about_api() { return descriptor({{"path", "/api/a"}}); }
Json asking_about(const std::vector<Json>& descriptors, const Json& more = Json::object()) {
  Json request = {{"domain", "edge"}, {"descriptors", descriptors}};
  request.update(more);
  return {{"request", request}};
}

class RateLimitServiceJs : public WithCertificates {
 protected:
  void SetUp() override {
    WithCertificates::SetUp();
    if (IsSkipped()) return;
    if (!std::filesystem::exists(kNode) || !std::filesystem::exists(kRateLimitModules + "/@grpc/proto-loader"))
      GTEST_SKIP() << "no @grpc/proto-loader on this machine; ./dev test fetches it where there is an npm registry";
    ::setenv("NODE_PATH", kRateLimitModules.c_str(), 1);
  }
  static std::string address(const Gateway& gateway) { return "127.0.0.1:" + std::to_string(gateway.port()); }
  /// Returns a line of the client for each call.
  static std::vector<Json> ask(const Gateway& gateway, const std::vector<Json>& calls,
                               const Json& more = Json::object()) {
    Json work = {{"target", address(gateway)}, {"calls", calls}};
    work.update(more);
    Process client({kAskingOverJs, work.dump()}, {}, kNode);
    EXPECT_EQ(client.wait(std::chrono::seconds(60)), 0) << client.err();
    std::vector<Json> out;
    std::istringstream lines(client.out());
    for (std::string line; std::getline(lines, line);) out.push_back(Json::parse(line));
    EXPECT_EQ(out.size(), calls.size()) << client.out() << client.err();
    out.resize(calls.size());
    return out;
  }
  static Json ask_once(const Gateway& gateway, const Json& call, const Json& more = Json::object()) {
    return ask(gateway, {call}, more).front();
  }
  /// A listener with TLS that asks clients for certificates.
  static Json with_client_ca() {
    return {{"listen",
             {{"tls",
               {{"certificate", files->path("server.crt")},
                {"key", files->path("server.key")},
                {"client_ca", files->path("ca.crt")}}}}}};
  }
  static Json showing(const std::string& name) {
    Json out = {{"ca", files->path("ca.crt")}};
    if (!name.empty()) out.update({{"certificate", files->path(name + ".crt")}, {"key", files->path(name + ".key")}});
    return out;
  }
};

TEST_F(RateLimitServiceJs, GetsTheFieldsOfThePublishedMessages) {
  const Gateway gateway(deciding());
  const auto answers =
      ask(gateway, {asking_about({about_login("203.0.113.9"), about_api(), descriptor({{"other", "1"}})})});
  const auto& answer = answers.front();
  EXPECT_EQ(answer["overall_code"], "OK");
  ASSERT_EQ(answer["statuses"].size(), 3U) << answer;
  const auto& first = answer["statuses"][0];
  EXPECT_EQ(first["code"], "OK");
  EXPECT_EQ(first["current_limit"], Json({{"name", "login"}, {"requests_per_unit", 3}, {"unit", "HOUR"}}));
  EXPECT_EQ(first["limit_remaining"], 2);
  EXPECT_EQ(first["duration_until_reset"]["seconds"], 1200) << "a third of the hour";
  EXPECT_EQ(answer["statuses"][1]["limit_remaining"], 49);
  EXPECT_EQ(answer["statuses"][2]["current_limit"], nullptr) << "no entry matches";
  EXPECT_EQ(answer["dynamic_metadata"]["fields"],
            Json({{"limit", {{"stringValue", "login"}}}, {"key", {{"stringValue", "203.0.113.9"}}}}));
  std::map<std::string, std::string> fields;
  for (const auto& field : answer["response_headers_to_add"]) fields[field["key"]] = field["value"];
  EXPECT_EQ(fields["X-RateLimit-Limit"], "3");
  EXPECT_EQ(fields["X-RateLimit-Remaining"], "2");
  EXPECT_EQ(fields["RateLimit-Policy"], "\"login\";q=3;w=3600");
  EXPECT_EQ(fields["RateLimit"], "\"login\";r=2;t=1200");
  EXPECT_FALSE(fields.contains("Retry-After"));
}

TEST_F(RateLimitServiceJs, IsOverTheLimitAndTakesNothingThen) {
  const Gateway gateway(deciding());
  const auto answers = ask(gateway, {asking_about({about_login("7")}, {{"hits_addend", 2}}),
                                     asking_about({about_api(), about_login("7")}, {{"hits_addend", 2}}),
                                     asking_about({about_api(), about_login("7")}), asking_about({about_login("7")})});
  EXPECT_EQ(answers[0]["statuses"][0]["limit_remaining"], 1);
  EXPECT_EQ(answers[1]["overall_code"], "OVER_LIMIT");
  EXPECT_EQ(answers[1]["statuses"][0]["code"], "OK");
  EXPECT_EQ(answers[1]["statuses"][1]["code"], "OVER_LIMIT");
  EXPECT_EQ(answers[2]["overall_code"], "OK") << "one permit was left, as the call before took none";
  EXPECT_EQ(answers[2]["statuses"][0]["limit_remaining"], 49);
  EXPECT_EQ(answers[3]["overall_code"], "OVER_LIMIT");
  const auto wait = answers[3]["statuses"][0]["duration_until_reset"]["seconds"].get<int>();
  EXPECT_TRUE(wait > 1100 && wait <= 1200) << answers[3];
  EXPECT_EQ(answers[3]["response_headers_to_add"].back(),
            Json({{"key", "Retry-After"}, {"value", std::to_string(wait)}}));
}

TEST_F(RateLimitServiceJs, CountsHitsOfDescriptorsGivesThemBackAndTakesARate) {
  const Gateway gateway(deciding());
  const auto answers =
      ask(gateway, {asking_about({about_login("7", {{"hits_addend", {{"value", 3}}}}), about_api()}),
                    asking_about({about_login("7", {{"hits_addend", {{"value", 2}}}, {"is_negative_hits", true}})}),
                    asking_about({about_login("7")}),
                    asking_about({about_login("8", {{"limit", {{"requests_per_unit", 10}, {"unit", "MINUTE"}}}})})});
  EXPECT_EQ(answers[0]["statuses"][0]["limit_remaining"], 0);
  EXPECT_EQ(answers[0]["statuses"][1]["limit_remaining"], 49) << "the hits are of the other descriptor";
  EXPECT_EQ(answers[1]["overall_code"], "OK");
  EXPECT_EQ(answers[2]["statuses"][0]["limit_remaining"], 1);
  EXPECT_EQ(answers[3]["statuses"][0]["current_limit"],
            Json({{"name", "login"}, {"requests_per_unit", 10}, {"unit", "MINUTE"}}));
  EXPECT_EQ(answers[3]["statuses"][0]["limit_remaining"], 9);
}

TEST_F(RateLimitServiceJs, GetsTheStatusOfWhatIsNoCall) {
  const Gateway gateway(deciding());
  Json unheard = asking_about({about_api()});
  unheard["method"] = "Unheard";
  const auto answers =
      ask(gateway, {{{"bytes", "/w=="}}, {{"request", Json::object()}}, unheard, asking_about({about_api()})});
  EXPECT_EQ(answers[0]["status"], "INVALID_ARGUMENT");
  EXPECT_EQ(answers[1]["status"], "INVALID_ARGUMENT") << "it has no domain";
  EXPECT_EQ(answers[2]["status"], "UNIMPLEMENTED");
  EXPECT_EQ(answers[3]["overall_code"], "OK") << "the connection is still of use";
}

TEST_F(RateLimitServiceJs, SharesABudgetBetweenCallsAtTheSameTime) {
  const Gateway gateway(deciding({{"workers", 2}}));
  Json many = asking_about({about_api()});
  many["at_once"] = 200;
  EXPECT_EQ(ask_once(gateway, many), Json({{"OK 50", 50}, {"OVER_LIMIT 50", 150}}));
}

TEST_F(RateLimitServiceJs, NeedsACertificateIfTheListenerAsksForOne) {
  const Gateway gateway(deciding(with_client_ca()));
  EXPECT_EQ(ask_once(gateway, asking_about({about_api()}), showing("gateway"))["overall_code"], "OK");
  EXPECT_EQ(ask_once(gateway, asking_about({about_api()}), showing(""))["status"], "PERMISSION_DENIED");
  EXPECT_EQ(ask_once(gateway, asking_about({about_api()}), showing("expired"))["status"], "UNAVAILABLE")
      << "no handshake";
  EXPECT_EQ(ask_once(gateway, asking_about({about_api()}), showing("gateway"))["statuses"][0]["limit_remaining"], 48)
      << "the others were not counted";
}

TEST_F(RateLimitServiceJs, NeedsNoCertificateIfTheListenerAsksForNone) {
  Json tls = with_client_ca();
  tls["listen"]["tls"].erase("client_ca");
  const Gateway gateway(deciding(tls));
  EXPECT_EQ(ask_once(gateway, asking_about({about_api()}), showing(""))["overall_code"], "OK");
}

/// Callers that ask again and again until they are stopped.
class RateLimitCallers {
 public:
  RateLimitCallers(const std::string& target, const Json& request)
      : process_({kAskingOverJs, Json({{"target", target}, {"callers", 16}, {"request", request["request"]}}).dump()},
                 {}, kNode) {}
  bool get(const std::string& outcome) { return process_.says("first " + outcome + "\n"); }
  /// Returns how often each outcome came.
  Json stop() {
    process_.signal(SIGTERM);
    EXPECT_EQ(process_.wait(std::chrono::seconds(60)), 0) << process_.err();
    return Json::parse(process_.out(), nullptr, false);
  }

 private:
  Process process_;
};

Json allowing(const std::string& rate, const Json& more = Json::object()) {
  Json changes = {{"limits", {{"api", {{"rate", rate}, {"algorithm", "fixed_window"}}}}}};
  changes.merge_patch(more);
  return deciding(changes);
}

std::vector<std::string> names_of(const Json& counts) {
  std::vector<std::string> out;
  for (const auto& each : counts.items()) out.push_back(each.key());
  return out;
}

TEST_F(RateLimitServiceJs, LosesNoCallWhenTheGatewayReloads) {
  Reloaded reloaded(allowing("1000000/hour", {{"workers", 2}}));
  RateLimitCallers callers(address(reloaded.gateway()), asking_about({about_api()}));
  ASSERT_TRUE(callers.get("OK 1000000"));
  for (int i = 2; i < 7; ++i) {
    const auto rate = std::to_string(i) + "000000";
    ASSERT_TRUE(reloaded.reload(allowing(rate + "/hour", {{"workers", 2}})));
    ASSERT_TRUE(callers.get("OK " + rate)) << reloaded.process().err();
  }
  const auto counts = callers.stop();
  EXPECT_THAT(names_of(counts),
              ElementsAre("OK 1000000", "OK 2000000", "OK 3000000", "OK 4000000", "OK 5000000", "OK 6000000"))
      << counts;
}

TEST_F(RateLimitServiceJs, GoesOnWithAnotherGatewayWhenOneEnds) {
  Gateway one(allowing("1000000/hour", {{"drain", "5s"}}));
  const Gateway other(allowing("2000000/day"));
  RateLimitCallers callers("ipv4:" + address(one) + "," + address(other), asking_about({about_api()}));
  ASSERT_TRUE(callers.get("OK 1000000"));
  EXPECT_EQ(one.terminate(), 0);
  one.expect_any_end();
  ASSERT_TRUE(callers.get("OK 2000000"));
  const auto counts = callers.stop();
  EXPECT_THAT(names_of(counts), ElementsAre("OK 1000000", "OK 2000000")) << counts;
  const auto after = ask_once(other, asking_about({about_api()}));
  EXPECT_EQ(after["statuses"][0]["limit_remaining"].get<int>() + counts["OK 2000000"].get<int>(), 2000000 - 1)
      << "each call was counted once";
}

/// A field of a message of protobuf that is text or a message, and shorter than 128 bytes.
std::string wire_field(char number, const std::string& value) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(value.size())} + value;
}

std::string decision_call(std::uint32_t stream) {
  const auto entry = wire_field(1, "path") + wire_field(2, "/api/a");
  const auto request = wire_field(1, "edge") + wire_field(2, wire_field(1, entry));
  return h2_request(stream,
                    h2_get("/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit",
                           {{"content-type", "application/grpc"}, {"te", "trailers"}}, "POST"),
                    false) +
         h2_frame(h2_data, kEndStream, stream, grpc_message(request));
}

TEST(RateLimitServiceDrain, AnswersCallsInProgressAndSaysGoodbyeTwice) {
  if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  RedisServer redis;
  ASSERT_TRUE(redis.start()) << redis.error();
  Gateway gateway(allowing(
      "1000/hour", {{"drain", "10s"},
                    {"workers", 1},
                    {"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "20s"}}},
                    {"limits", {{"api", {{"store", "redis"}, {"leases", "off"}, {"if_redis_down", "reject"}}}}}}));
  auto one = std::make_unique<H2Client>(gateway.port());
  auto& client = *one;
  client.send(decision_call(1));
  ASSERT_EQ(grpc_status_of(client.answer(1)), "0");
  redis.pause();
  client.send(decision_call(3) + h2_frame(h2_ping, 0, 0, "12345678"));
  ASSERT_TRUE(client.next(h2_ping)) << "the call before it has begun";
  gateway.process().signal(SIGTERM);
  ASSERT_TRUE(client.next(h2_goaway));
  EXPECT_EQ(client.last_ids.back(), 0x7fffffffU) << "first a notice";
  client.send(decision_call(5));
  ASSERT_TRUE(client.next(h2_goaway));
  EXPECT_EQ(client.last_ids.back(), 5U) << "it was on its way";
  redis.resume();
  for (const std::uint32_t stream : {3U, 5U}) {
    const auto answer = client.answer(stream);
    EXPECT_EQ(grpc_status_of(answer), "0") << stream;
    EXPECT_EQ(answer.body.substr(5, 2), "\x08\x01") << "the code is OK";
  }
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(*client.goaway, 0U);
  one.reset();
  EXPECT_EQ(gateway.process().wait(kPatience), 0);
  gateway.expect_any_end();
}

}  // namespace
}  // namespace headgate::test
