// headgate load, on a real gateway and on a server that does what it is told.

#include "blackbox/harness/gateway.hpp"
#include "support/certificates.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <regex>
#include <set>

namespace headgate::test {
namespace {

std::string root_of(std::uint16_t port) { return "http://127.0.0.1:" + std::to_string(port) + "/"; }

/// Runs it, and reads what it prints as JSON.
struct Loaded {
  explicit Loaded(Words words, const std::vector<std::string>& environment = {}) {
    words.insert(words.begin(), {"load", "--json", "--quiet"});
    Process process(words, environment);
    code = process.wait(std::chrono::seconds(30));
    err = process.err();
    json = Json::parse(process.out(), nullptr, false);
    EXPECT_EQ(process.sanitizer_report(), "");
    EXPECT_FALSE(json.is_discarded()) << process.out() << err;
  }
  int code = -1;
  std::string err;
  Json json;
};

Json limit_of_keys(const char* rate) {
  return {{"limits", {{"keys", {{"rate", rate}, {"per", "header:X-API-Key"}, {"if_absent", "skip"}}}}},
          {"routes", Json::array({{{"path", "/*"}, {"to", "app"}, {"limits", {"keys"}}}})}};
}

TEST(Load, AsksAgainAtTheMomentItWasToldAndThePromiseHolds) {
  Proxy proxy(limit_of_keys("5/second"));
  const Loaded load({"--to", root_of(proxy.gateway.port()), "--rate", "100/second", "--for", "3s", "--callers", "5",
                     "--header", "X-API-Key: demo-{n}"});
  EXPECT_EQ(load.code, 0) << load.err;
  const auto& callers = load.json["callers"];
  EXPECT_GT(load.json["promises"]["kept"], 20);
  EXPECT_EQ(load.json["promises"]["broken"], 0);
  EXPECT_GT(load.json["held_back"], 20);
  EXPECT_EQ(callers["sent"].get<int>(), callers["allowed"].get<int>() + callers["rejected"].get<int>());
  // Of each caller five at once, and five a second.
  EXPECT_LE(callers["allowed"], 5 * (5 + 5 * 4));
  EXPECT_GE(callers["allowed"], 5 * (5 + 5));
  EXPECT_EQ(proxy.upstream.request_count(), callers["allowed"].get<std::size_t>());
  std::set<std::string> keys;
  for (const auto& seen : proxy.upstream.requests()) keys.insert(seen.message.value("X-API-Key"));
  EXPECT_EQ(keys, (std::set<std::string>{"demo-1", "demo-2", "demo-3", "demo-4", "demo-5"}));
}

TEST(Load, OfTheImpatientHoldsNothingBack) {
  Proxy proxy(limit_of_keys("5/second"));
  const Loaded load({"--to", root_of(proxy.gateway.port()), "--rate", "200/second", "--for", "2s", "--callers", "2",
                     "--header", "X-API-Key: demo-{n}", "--impatient"});
  EXPECT_EQ(load.json["held_back"], 0);
  EXPECT_EQ(load.json["promises"]["kept"], 0);
  EXPECT_NEAR(load.json["callers"]["sent"].get<double>(), 400, 100);
  EXPECT_GT(load.json["callers"]["rejected"], 200);
}

TEST(Load, LikeAnAttackTellsOfAttackersApart) {
  Proxy proxy(limit_of_keys("20/second"));
  const Loaded load({"--to", root_of(proxy.gateway.port()), "--like", "attack", "--rate", "40/second", "--for", "6s",
                     "--callers", "20", "--header", "X-API-Key: demo-{n}"});
  EXPECT_EQ(load.json["callers"]["rejected"], 0);
  EXPECT_EQ(load.json["attackers"]["number"], 1);
  EXPECT_GT(load.json["attackers"]["rejected"], 200);
  EXPECT_GT(load.json["attackers"]["allowed"], 20);
}

TEST(Load, MeasuresFromTheIntendedMomentAndSaysThatItsConnectionsAreTheLimit) {
  FakeUpstream server;
  const Loaded load({"--to", server.url(), "--rate", "20/second", "--for", "3s", "--connections", "1", "--header",
                     "X-Test-Delay-Ms: 200"});
  EXPECT_EQ(load.code, 0);
  EXPECT_EQ(load.json["limited_by"], "connections");
  EXPECT_GT(load.json["late"]["connections"], 20);
  const auto& callers = load.json["callers"];
  EXPECT_LT(callers["milliseconds_from_sending"]["p50"], 1000) << "which is all that a closed loop would tell";
  EXPECT_GT(callers["milliseconds"]["p90"], 4000);
  EXPECT_EQ(server.connections(), 1U);
}

TEST(Load, GoesOnWhileServersCloseItsConnections) {
  FakeUpstream server;
  const Loaded load({"--to", server.url(), "--rate", "50/second", "--for", "2s", "--connections", "2", "--header",
                     "X-Test-Reset-If-Reused: 1"});
  EXPECT_EQ(load.json["callers"]["no_answer"], 0) << load.json.dump(2);
  EXPECT_GT(load.json["callers"]["allowed"], 50);
  EXPECT_GT(load.json["connections_opened"], 50);
}

TEST(Load, OpensAsManyConnectionsAsItMayAskTheSystemFor) {
  FakeUpstream server;
  const std::string line =
      "ulimit -Sn 40; exec $H load --json --quiet --rate 100/second --for 1s --connections 100 --header "
      "'X-Test-Delay-Ms: 1500' --to " +
      server.url();
  Process shell({"-c", line}, {"H=" HEADGATE_BINARY}, "/bin/bash");
  EXPECT_EQ(shell.wait(std::chrono::seconds(30)), 0);
  const auto json = Json::parse(shell.out(), nullptr, false);
  EXPECT_GT(json["connections_opened"], 60) << shell.out() << shell.err();
  EXPECT_EQ(json["callers"]["no_answer"], 0) << shell.out();
}

TEST(Load, CountsWhatIsCutOffOrNeverAnswered) {
  FakeUpstream server;
  const Loaded cut({"--to", server.url(), "--rate", "50/second", "--for", "1s", "--header", "X-Test-Bytes: 1000",
                    "--header", "X-Test-Cut: 1"});
  EXPECT_EQ(cut.code, 4);
  EXPECT_GT(cut.json["unanswered"]["cut"], 10) << cut.json.dump(2);
  const Loaded never({"--to", server.url(), "--rate", "20/second", "--for", "1s", "--timeout", "500ms", "--header",
                      "X-Test-Never: 1"});
  EXPECT_GT(never.json["unanswered"]["timed_out"], 5) << never.json.dump(2);
  EXPECT_LT(never.json["seconds"], 4);
}

TEST(Load, SendsTheKeysOfAFileAndTellsThemToNobody) {
  FakeUpstream server;
  const TemporaryFile keys("first-secret\r\n\nsecond-secret\n");
  Process process({"load", "--to", server.url(), "--for", "1s", "--key-file", keys.path()});
  EXPECT_EQ(process.wait(), 0);
  std::set<std::string> sent;
  for (const auto& seen : server.requests()) sent.insert(seen.message.value("X-API-Key"));
  EXPECT_EQ(sent, (std::set<std::string>{"first-secret", "second-secret"}));
  EXPECT_EQ((process.out() + process.err()).find("secret"), std::string::npos);
}

TEST(Load, GoesToSeveralAddressesInTurn) {
  FakeUpstream one;
  FakeUpstream two;
  const Loaded load({"--to", one.url() + "/a", "--to", two.url() + "/b", "--for", "1s"});
  EXPECT_EQ(load.json["to"], (Json{one.url() + "/a", two.url() + "/b"}));
  EXPECT_NEAR(static_cast<double>(one.request_count()), static_cast<double>(two.request_count()), 1);
  EXPECT_TRUE(one.last().message.head.starts_with("GET /a HTTP/1.1\r\n")) << one.last().message.head;
}

TEST(Load, WaitsInAWaitingRoomWithItsTicket) {
  Proxy proxy(Json{
      {"identity", {{"trusted_proxies", {"127.0.0.1"}}}},
      {"waiting_rooms", {{"sale", {{"secret", "0123456789abcdef0123456789abcdef"}, {"rate", "5/s"}, {"stay", "10m"}}}}},
      {"routes", Json::array({{{"path", "/*"}, {"to", "app"}, {"waiting_room", "sale"}}})}});
  const Loaded load({"--to", root_of(proxy.gateway.port()), "--like", "flash-sale", "--rate", "5/second", "--for",
                     "10s", "--callers", "1000", "--header", "X-Forwarded-For: {ip}"});
  const auto& callers = load.json["callers"];
  EXPECT_GT(callers["in_line"], 20) << load.json.dump(2);
  EXPECT_GT(callers["allowed"], 15);
  EXPECT_EQ(callers["rejected"], 0);
  EXPECT_EQ(load.json["promises"]["broken"], 0) << "when to ask again is no promise";
  EXPECT_GT(load.json["asked_again"], 10);
  EXPECT_GT(load.json["promises"]["open"], 0) << load.json.dump(2);
}

TEST(Echo, FailsForAPartOfTheTimeIfItIsToldTo) {
  Process echo({"echo", "--listen", "127.0.0.1:0", "--fails", "1s/2s"});
  std::smatch port;
  std::string said;
  ASSERT_TRUE(echo.wait_for_err([&](const std::string& err) {
    said = err;
    return std::regex_search(said, port, std::regex(R"(listening on 127\.0\.0\.1:(\d+))"));
  })) << said;
  const Loaded load({"--to", "http://127.0.0.1:" + port[1].str(), "--rate", "50/second", "--for", "4s"});
  EXPECT_NEAR(load.json["statuses"]["503"].get<double>(), 100, 60) << load.json.dump(2);
  EXPECT_NEAR(load.json["statuses"]["200"].get<double>(), 100, 60);
  for (const char* wrong : {"1s", "2s/1s", "/", "1/2"})
    EXPECT_EQ(run_headgate({"echo", "--listen", "127.0.0.1:0", "--fails", wrong}).code, 2) << wrong;
}

TEST(Load, SpeaksTlsAndChecksWhoAnswers) {
  if (!Certificates::possible()) GTEST_SKIP() << "openssl is not installed";
  Certificates made;
  ASSERT_TRUE(made.make("gateway", "DNS:localhost,IP:127.0.0.1"));
  FakeUpstream upstream;
  const Json tls = {{"certificate", made.path("gateway.crt")}, {"key", made.path("gateway.key")}};
  const Gateway gateway(config_for(upstream, {{"listen", {{"address", "127.0.0.1:0"}, {"tls", tls}}}}));
  const auto url = "https://127.0.0.1:" + std::to_string(gateway.port()) + "/";
  const Loaded load({"--to", url, "--for", "1s", "--ca", made.path("ca.crt")});
  EXPECT_EQ(load.code, 0);
  EXPECT_GT(load.json["callers"]["allowed"], 20) << load.json.dump(2);
  const Loaded distrusts({"--to", url, "--for", "1s"});
  EXPECT_EQ(distrusts.code, 4);
  EXPECT_GT(distrusts.json["unanswered"]["not_connected"], 20);
}

TEST(Load, EndsOnCtrlCWithItsReport) {
  FakeUpstream server;
  Process process({"load", "--to", server.url(), "--for", "1h", "--rate", "20/second"});
  // A line each second, under its heads.
  ASSERT_TRUE(process.wait_for_err([](const std::string& err) { return err.find("\n     1 ") != std::string::npos; }))
      << process.err();
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(std::chrono::seconds(3)), 0);
  EXPECT_NE(process.out().find("who "), std::string::npos) << process.out();
  EXPECT_NE(process.out().find("Answers: 200: "), std::string::npos) << process.out();
  EXPECT_EQ(process.sanitizer_report(), "");
}

TEST(Load, WaitsForTheLastAnswersOnCtrlCButNotForever) {
  FakeUpstream server;
  Process process({"load", "--json", "--to", server.url(), "--for", "1h", "--header", "X-Test-Never: 1"});
  ASSERT_TRUE(server.wait_for_heads(3));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(std::chrono::seconds(5)), 4);
  EXPECT_GT(Json::parse(process.out())["unanswered"]["unfinished"], 2) << process.out();
  EXPECT_EQ(process.sanitizer_report(), "");
}

TEST(Load, SaysThatNobodyAnswered) {
  const Loaded load({"--to", "http://127.0.0.1:1/", "--for", "1s"});
  EXPECT_EQ(load.code, 4);
  EXPECT_NE(load.err.find("headgate: no request was answered\n"), std::string::npos) << load.err;
  EXPECT_GT(load.json["unanswered"]["not_connected"], 20);
}

TEST(Load, RefusesAStrangersServer) {
  for (const char* url : {"http://192.0.2.1/", "https://[2001:db8::1]/", "http://[::ffff:192.0.2.1]:8080/"}) {
    const auto ran = run_headgate({"load", "--to", "http://127.0.0.1:1/", "--to", url});
    EXPECT_EQ(ran.code, 2) << url;
    EXPECT_NE(ran.err.find("neither this machine nor a private network"), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find("--i-own-it"), std::string::npos) << ran.err;
  }
}

TEST(Load, SaysWhatIsWrongOnItsCommandLine) {
  const Words to{"load", "--to", "http://127.0.0.1:1/"};
  for (const auto& [words, said] : std::vector<std::pair<Words, std::string>>{
           {{"--rate", "50"}, "--rate: \"50\" is not a rate"},
           {{"--rate", "200000/second"}, "--rate is at most 100000/second"},
           {{"--for", "10"}, "--for: \"10\" has no unit"},
           {{"--like", "tsunami"}, "tsunami"},
           {{"--header", "no field"}, "--header: a field is written \"Name: value\""},
           {{"--header", "Connection: close"}, "--header: headgate load frames requests itself"},
           {{"--callers", "0"}, "--callers"},
           {{"--key-file", "/nowhere/keys"}, "--key-file: /nowhere/keys: No such file"},
           {{"--ca", "/nowhere/ca.pem", "--to", "https://127.0.0.1:1/"}, "/nowhere/ca.pem"},
           {{"--to", "ftp://127.0.0.1/"}, "--to: "},
           {{"--connections", "1", "--to", "http://127.0.0.1:2/"}, "--connections must be at least"}}) {
    auto all = to;
    all.insert(all.end(), words.begin(), words.end());
    const auto ran = run_headgate(all);
    EXPECT_TRUE(ran.code == 2 || ran.code == 1) << said;
    EXPECT_NE(ran.err.find(said), std::string::npos) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
}

TEST(Load, SaysThatCallersLookTheSame) {
  FakeUpstream server;
  const auto ran = run_headgate({"load", "--to", server.url(), "--for", "1s"});
  EXPECT_NE(ran.err.find("all callers look the same to a gateway"), std::string::npos) << ran.err;
  const auto one = run_headgate({"load", "--to", server.url(), "--for", "1s", "--callers", "1"});
  EXPECT_EQ(one.err.find("look the same"), std::string::npos) << one.err;
}

}  // namespace
}  // namespace headgate::test
