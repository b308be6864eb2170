// What the status of a call decides, though its HTTP status is 200: retries, limits, suspensions, ejection.

#include "blackbox/grpc/calling.hpp"
#include "blackbox/harness/look.hpp"
#include "support/redis_cli.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>

namespace headgate::test {
namespace {

using std::chrono::steady_clock;

Json retrying(const std::string& url, const Json& on) {
  return asking(url, {{"upstreams", {{"app", {{"retry", {{"attempts", 3}, {"on", on}}}}}}}});
}

TEST(GrpcStatuses, AreRetriedWhereTheyAreNamedAlsoThoughACallIsAPost) {
  std::atomic<unsigned> calls = 0;
  H2Server server(once_ended([&](const H2Asked& asked) {
    return ++calls < 3 ? grpc_failure(asked.stream, "14") : grpc_answer(asked.stream, "0");
  }));
  Proxy proxy(retrying(server.url(), {"UNAVAILABLE"}));
  EXPECT_EQ(grpc_status_of(H2Client(proxy.gateway.port()).ask(1, call("Any"))), "0");
  EXPECT_EQ(calls, 3U);
  proxy.gateway.terminate();
  EXPECT_NE(proxy.gateway.process().out().find("UNAVAILABLE,UNAVAILABLE"), std::string::npos)
      << proxy.gateway.process().out();
}

TEST(GrpcStatuses, AreNotRetriedUnlessTheyAreNamedNorBehindAMessage) {
  for (const bool message : {false, true}) {
    std::atomic<unsigned> calls = 0;
    H2Server server(once_ended([&](const H2Asked& asked) {
      ++calls;
      return message ? grpc_answer(asked.stream, "14") : grpc_failure(asked.stream, "13");
    }));
    Proxy proxy(retrying(server.url(), {"UNAVAILABLE", 503}));
    EXPECT_EQ(grpc_status_of(H2Client(proxy.gateway.port()).ask(1, call("Any"))), message ? "14" : "13");
    EXPECT_EQ(calls, 1U) << message;
  }
}

TEST(GrpcStatuses, AreRetriedWhenTheServerSaysAndNotWhereItSaysThatNoRetryHelps) {
  for (const std::string pushback : {"300", "-1", "soon"}) {
    std::atomic<unsigned> calls = 0;
    H2Server server(once_ended([&](const H2Asked& asked) {
      return ++calls < 2 ? grpc_failure(asked.stream, "8", {{"grpc-retry-pushback-ms", pushback}})
                         : grpc_answer(asked.stream, "0");
    }));
    Proxy proxy(retrying(server.url(), {"RESOURCE_EXHAUSTED"}));
    const auto begun = steady_clock::now();
    EXPECT_EQ(grpc_status_of(H2Client(proxy.gateway.port()).ask(1, call("Any"))), pushback == "300" ? "0" : "8");
    EXPECT_EQ(calls, pushback == "300" ? 2U : 1U) << pushback;
    EXPECT_GE(steady_clock::now() - begun, std::chrono::milliseconds(pushback == "300" ? 300 : 0));
  }
}

/// Calls of "Bad" are refused by the server: in the head of its answer, or in trailers behind a message.
H2Server::Answer refusing(bool message) {
  return once_ended([message](const H2Asked& asked) {
    const bool bad = asked.fields.at(":path").ends_with("Bad");
    return message || !bad ? grpc_answer(asked.stream, bad ? "16" : "0") : grpc_failure(asked.stream, "16");
  });
}

TEST(GrpcStatuses, AreCountedByLimitsAsTheHttpStatusThatStandsForThem) {
  for (const bool message : {false, true}) {
    H2Server server(refusing(message));
    Proxy proxy(
        asking(server.url(),
               {{"limits", {{"guesses", {{"rate", "2/hour"}, {"per", "client_ip"}, {"count", {{"status", {401}}}}}}}},
                {"routes", {{{"path", "/*"}, {"to", "app"}, {"limits", {"guesses"}}}}}}));
    H2Client client(proxy.gateway.port());
    std::uint32_t stream = 1;
    const auto ask = [&](const std::string& method) {
      const auto answer = client.ask(stream, call(method));
      stream += 2;
      return grpc_status_of(answer);
    };
    for (int i = 0; i < 5; ++i) EXPECT_EQ(ask("Good"), "0") << "it costs nothing";
    EXPECT_EQ(ask("Bad"), "16");
    EXPECT_EQ(ask("Bad"), "16");
    EXPECT_EQ(ask("Good"), "8") << "the limit is used up: " << message;
  }
}

TEST(GrpcStatuses, ThatNeverComeCostWhatTheHttpStatusCosts) {
  H2Server server([](const H2Asked& asked) {
    if (asked.reset || !asked.ended) return std::string();
    if (asked.fields.at(":path").ends_with("Good")) return grpc_answer(asked.stream, "0");
    return h2_request(asked.stream, {{":status", "200"}, {"content-type", "application/grpc"}}, false) +
           h2_frame(h2_data, 0, asked.stream, grpc_message("seen"));
  });
  Proxy proxy(
      asking(server.url(),
             {{"limits", {{"guesses", {{"rate", "2/hour"}, {"per", "client_ip"}, {"count", {{"status", {401}}}}}}}},
              {"routes", {{{"path", "/*"}, {"to", "app"}, {"limits", {"guesses"}}}}}}));
  H2Client client(proxy.gateway.port());
  for (std::uint32_t stream = 1; stream < 9; stream += 2) {
    client.send(h2_request(stream, call("Watch")));
    ASSERT_TRUE(wait_until([&] { return !client.answer(stream, Milliseconds(20)).body.empty(); })) << stream;
    client.send(h2_frame(h2_rst_stream, 0, stream, h2_number(kCancel)));
  }
  std::uint32_t stream = 11;
  EXPECT_TRUE(wait_until([&] { return grpc_status_of(client.ask(stream += 2, call("Good"))) == "0"; }))
      << "a caller who leaves a call behind a message of the server is not one who guesses";
}

TEST(GrpcStatuses, SuspendWhoeverEarnsThem) {
  for (const bool message : {false, true}) {
    H2Server server(refusing(message));
    Proxy proxy(
        asking(server.url(), {{"limits",
                               {{"many",
                                 {{"rate", "1000/second"},
                                  {"per", "client_ip"},
                                  {"ban", {{"after", 2}, {"within", "1m"}, {"for", "1m"}, {"status", {401}}}}}}}},
                              {"routes", {{{"path", "/*"}, {"to", "app"}, {"limits", {"many"}}}}}}));
    H2Client client(proxy.gateway.port());
    EXPECT_EQ(grpc_status_of(client.ask(1, call("Good"))), "0");
    EXPECT_EQ(grpc_status_of(client.ask(3, call("Bad"))), "16");
    EXPECT_EQ(grpc_status_of(client.ask(5, call("Good"))), "0");
    EXPECT_EQ(grpc_status_of(client.ask(7, call("Bad"))), "16");
    EXPECT_EQ(grpc_status_of(client.ask(9, call("Good"))), "8") << message;
  }
}

TEST(GrpcStatuses, EjectTheServerThatFails) {
  for (const bool head : {true, false}) {
    H2Server good(once_ended([](const H2Asked& asked) { return grpc_answer(asked.stream, "0"); }));
    H2Server bad(once_ended([&](const H2Asked& asked) {
      return head ? grpc_failure(asked.stream, "14") : grpc_answer(asked.stream, "14", "");
    }));
    Proxy proxy(asking(good.url(), {{"upstreams", {{"app", {{"servers", {good.url(), bad.url()}}}}}}}));
    H2Client client(proxy.gateway.port());
    std::uint32_t stream = 1;
    EXPECT_TRUE(wait_until([&] {
      for (int i = 0; i < 20; ++i, stream += 2) client.ask(stream, call("Any"));
      return proxy.gateway.process().err().find("ejected") != std::string::npos;
    })) << head;
    const auto before = bad.asked().size();
    for (int i = 0; i < 10; ++i, stream += 2) EXPECT_EQ(grpc_status_of(client.ask(stream, call("Any"))), "0");
    EXPECT_EQ(bad.asked().size(), before);
  }
}

}  // namespace
}  // namespace headgate::test
