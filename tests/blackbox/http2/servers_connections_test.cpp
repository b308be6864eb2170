// The connections to servers that are asked over HTTP/2: when they are made, used, given up and closed.

#include "asking.hpp"
#include "blackbox/harness/h2_client.hpp"
#include "blackbox/harness/reloaded.hpp"
#include "support/redis_cli.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

// The first requests come all at once, before it has said how many it wants.
TEST(Http2Servers, GetNoMoreStreamsAtOnceThanTheyWant) {
  std::mutex mutex;
  std::map<unsigned, std::vector<std::uint32_t>> open;
  std::size_t most = 0;
  H2Server server(once_ended([&](const H2Asked& asked) {
                    const std::lock_guard lock(mutex);
                    auto& mine = open[asked.connection];
                    mine.push_back(asked.stream);
                    most = std::max(most, mine.size());
                    return std::string();
                  }),
                  std::string("\0\3", 2) + h2_number(2));
  server.greet_after(Milliseconds(100));
  Proxy proxy(asking(server.url()));
  H2Client client(proxy.gateway.port());
  for (std::uint32_t i = 0; i < 40; ++i) client.send(h2_request(2 * i + 1, h2_get()));
  for (std::uint32_t answered = 0; answered < 40;) {
    std::this_thread::sleep_for(Milliseconds(10));  // so that more may come than should
    const std::lock_guard lock(mutex);
    for (auto& [connection, streams] : open) {
      answered += static_cast<std::uint32_t>(streams.size());
      for (const auto stream : std::exchange(streams, {}))
        server.say(h2_answer(stream, {{":status", "200"}}), connection);
    }
  }
  for (std::uint32_t i = 0; i < 40; ++i) EXPECT_EQ(client.answer(2 * i + 1).status, 200) << i;
  EXPECT_LE(server.connections(), 20U);
  EXPECT_EQ(most, 2U);
}

TEST(Http2Servers, AreConnectedToOnceForAllThatComeMeanwhile) {
  H2Server server(once_ended([](const H2Asked& asked) { return h2_answer(asked.stream, {{":status", "200"}}); }));
  server.greet_after(Milliseconds(300));
  Proxy proxy(asking(server.url()));
  H2Client client(proxy.gateway.port());
  for (std::uint32_t i = 0; i < 3; ++i) client.send(h2_request(2 * i + 1, h2_get()));
  ASSERT_TRUE(wait_until([&] { return server.connections() == 1; }));
  std::this_thread::sleep_for(Milliseconds(50));  // the connection is there, and its server has not greeted
  for (std::uint32_t i = 3; i < 8; ++i) client.send(h2_request(2 * i + 1, h2_get()));
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(client.answer(2 * i + 1).status, 200) << i;
  EXPECT_EQ(server.connections(), 1U);
}

// Their bytes take the window of the connection that other answers need.
TEST(Http2Servers, GetNoMoreRequestsOnAConnectionWhoseAnswersAreNotRead) {
  H2Server server(once_ended([](const H2Asked& asked) {
    return h2_answer(asked.stream, {{":status", "200"}}, std::string(1000, 'x'));
  }));
  Proxy proxy(asking(server.url()));
  H2Client client(proxy.gateway.port(), std::string("\0\4", 2) + h2_number(0));  // it gives no window
  for (std::uint32_t i = 0; i < 100; ++i) client.send(h2_request(2 * i + 1, h2_get()));
  ASSERT_TRUE(wait_until([&] { return server.asked().size() == 100; }));
  EXPECT_EQ(server.connections(), 1U);
  EXPECT_EQ(proxy.client().get("/").status(), 200);
  EXPECT_EQ(server.connections(), 2U);
}

TEST(Http2Servers, ThatRefuseAStreamAreAskedAgain) {
  std::atomic<unsigned> times = 0;
  H2Server server(once_ended([&](const H2Asked& asked) {
    if (times++ == 0) return h2_frame(h2_rst_stream, 0, asked.stream, h2_number(kRefusedStream));
    return h2_answer(asked.stream, {{":status", "200"}}, asked.body);
  }));
  Proxy proxy(asking(server.url()));
  const auto answer = proxy.client().ask(request_with_body("POST", "/", "body"));
  EXPECT_EQ(answer.status(), 200) << "also a POST: it was not looked at";
  EXPECT_EQ(answer.body, "body");
  EXPECT_EQ(times, 2U);
}

TEST(Http2Servers, ThatRefuseAlwaysAreAskedTwiceAndNotMore) {
  H2Server server(once_ended(
      [](const H2Asked& asked) { return h2_frame(h2_rst_stream, 0, asked.stream, h2_number(kRefusedStream)); }));
  Proxy proxy(asking(server.url()));
  expect_problem(proxy.client().get("/"), 502);
  EXPECT_EQ(server.asked().size(), 2U);
}

// Two connections rest. The server closes both when it is asked again.
TEST(Http2Servers, AreAskedAgainOnAConnectionThatIsNew) {
  std::atomic<unsigned> first = 0;
  H2Server* self = nullptr;
  H2Server server(once_ended([&](const H2Asked& asked) {
                    if (asked.connection > 2) return h2_answer(asked.stream, {{":status", "200"}}, "new");
                    if (asked.stream > 1) {
                      self->hang_up();
                      return std::string();
                    }
                    if (++first < 2) std::this_thread::sleep_for(Milliseconds(300));  // so that both are needed
                    return h2_answer(asked.stream, {{":status", "200"}}, "old");
                  }),
                  std::string("\0\3", 2) + h2_number(1));
  self = &server;
  Proxy proxy(asking(server.url()));
  H2Client client(proxy.gateway.port());
  client.send(h2_request(1, h2_get()) + h2_request(3, h2_get()));
  EXPECT_EQ(client.answer(1).body + client.answer(3).body, "oldold");
  ASSERT_EQ(server.connections(), 2U);
  EXPECT_EQ(client.ask(5, h2_get()).body, "new");
}

TEST(Http2Servers, ThatFallSilentGetNoMoreRequestsOnThatConnection) {
  H2Server server(once_ended([](const H2Asked& asked) {
    const bool slow = asked.fields.at(":path") == "/slow";
    return slow ? std::string() : h2_answer(asked.stream, {{":status", "200"}}, std::to_string(asked.connection));
  }));
  Proxy proxy(asking(server.url(), {{"routes", {{{"path", "/*"}, {"to", "app"}, {"timeout", "1100ms"}}}}}));
  EXPECT_EQ(proxy.client().get("/").body, "1");
  expect_problem(proxy.client().get("/slow"), 504);
  ASSERT_TRUE(wait_until([&] { return proxy.client().get("/").body == "1"; })) << "it answers a PING: it is there";
  server.fall_silent();
  expect_problem(proxy.client().get("/slow"), 504);  // so soon it gets no other PING
  EXPECT_EQ(proxy.client().get("/").body, "2");
}

TEST(Http2Servers, ThatAnswerNoPingLoseTheirOtherRequestsToo) {
  H2Server server(once_ended([](const H2Asked& asked) {
    const bool silent = asked.connection == 1 && asked.fields.at(":path") != "/first";
    return silent ? std::string() : h2_answer(asked.stream, {{":status", "200"}}, "new");
  }));
  const Json routes = {{{"path", "/short"}, {"to", "app"}, {"timeout", "3s"}}, {{"path", "/*"}, {"to", "app"}}};
  Proxy proxy(asking(server.url(), {{"routes", routes}}));
  H2Client client(proxy.gateway.port());
  // Then its acknowledgement of our SETTINGS has come, too: it would be heard as a sign of life.
  ASSERT_EQ(client.ask(1, h2_get("/first")).body, "new");
  server.fall_silent();
  client.send(h2_request(3, h2_get("/long", {}, "POST")) + h2_request(5, h2_get("/short")));
  EXPECT_EQ(client.answer(5).status, 504);
  const auto asked = std::chrono::steady_clock::now();
  EXPECT_EQ(client.ask(7, h2_get("/other")).body, "new") << "on another connection";
  EXPECT_EQ(client.answer(3).status, 502) << "long before its own timeout";
  const auto took = std::chrono::steady_clock::now() - asked;
  EXPECT_GT(took, std::chrono::milliseconds(4000));
  EXPECT_LT(took, std::chrono::milliseconds(8000));
}

TEST(Http2Servers, ThatSpeakHttp1AreSaidToDoSo) {
  FakeUpstream server;
  Proxy proxy(asking(server.url()));
  expect_problem(proxy.client().get("/"), 502);
  EXPECT_TRUE(proxy.gateway.process().wait_for_err(
      [](const std::string& log) { return log.find("upstream_not_http2") != std::string::npos; }));
  proxy.gateway.terminate();
  const auto log = proxy.gateway.process().out();
  EXPECT_TRUE(log.find("instead of speaking HTTP/2") != std::string::npos ||
              log.find("it does not speak HTTP/2") != std::string::npos)
      << log << "(it closes, or resets its connection)";
}

TEST(Http2Servers, ThatDoNotGreetAreGivenUpInTime) {
  H2Server server([](const H2Asked&) { return std::string(); });
  server.greet_after(Milliseconds(1500));
  Proxy proxy(asking(server.url(), {{"upstreams", {{"app", {{"connect_timeout", "200ms"}}}}}}));
  H2Client client(proxy.gateway.port());
  for (std::uint32_t i = 0; i < 5; ++i) client.send(h2_request(2 * i + 1, h2_get()));
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(client.answer(2 * i + 1).status, 504) << i;
}

// Whoever is woken by the end of a stream may be the last user of its configuration.
TEST(Http2Servers, ThatAReloadHasRemovedMayEndLater) {
  H2Server one([](const H2Asked&) { return std::string(); });
  H2Server two(once_ended([](const H2Asked& asked) { return h2_answer(asked.stream, {{":status", "200"}}, "two"); }));
  for (const char* const how : {"server", "caller", "stream"}) {
    Reloaded file(asking(one.url()));
    std::optional<H2Client> client(file.gateway().port());
    const auto before = one.asked().size();
    client->send(h2_request(1, h2_get("/", {}, "POST"), false) + h2_frame(h2_data, 0, 1, "x") +
                 h2_request(3, h2_get("/")));
    ASSERT_TRUE(wait_until([&] { return one.asked().size() >= before + 2; }));
    ASSERT_TRUE(file.reload(asking(two.url())));
    if (how == std::string("server")) one.hang_up();
    if (how == std::string("caller")) client.reset();
    if (how == std::string("stream"))
      client->send(h2_frame(h2_rst_stream, 0, 1, h2_number(kCancel)) +
                   h2_frame(h2_rst_stream, 0, 3, h2_number(kCancel)));
    EXPECT_EQ(H2Client(file.gateway().port()).ask(1, h2_get()).body, "two") << how;
  }
}

TEST(Http2Servers, KeepAsManyIdleConnectionsAsTheyMay) {
  H2Server server(once_ended([](const H2Asked& asked) { return h2_answer(asked.stream, {{":status", "200"}}); }));
  Proxy proxy(asking(server.url(), {{"upstreams", {{"app", {{"max_idle", 0}}}}}}));
  for (unsigned i = 1; i <= 3; ++i) {
    EXPECT_EQ(proxy.client().get("/").status(), 200);
    EXPECT_EQ(server.connections(), i);
  }
}

TEST(Http2Servers, ThatGoAwayLoseNoRequest) {
  std::atomic<unsigned> times = 0;
  H2Server server(once_ended([&](const H2Asked& asked) {
    const auto answer = h2_answer(asked.stream, {{":status", "200"}});
    // The second is behind the last that the server looks at.
    if (times++ == 1) return h2_frame(h2_goaway, 0, 0, h2_number(1) + h2_number(0));
    return answer;
  }));
  Proxy proxy(asking(server.url()));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(proxy.client().ask(request_with_body("POST", "/", "x")).status(), 200) << i;
  EXPECT_EQ(server.connections(), 2U);
  EXPECT_EQ(times, 5U);
}

TEST(Http2Servers, ThatHangUpWhileNobodyAsksAreConnectedToAnew) {
  H2Server server(once_ended([](const H2Asked& asked) { return h2_answer(asked.stream, {{":status", "200"}}); }));
  Proxy proxy(asking(server.url()));
  for (unsigned i = 1; i <= 3; ++i) {
    EXPECT_EQ(proxy.client().get("/").status(), 200);
    EXPECT_EQ(server.connections(), i);
    server.hang_up();
  }
}

TEST(Http2Servers, KeepTheirConnectionOverAReloadAsLongAsTheProtocolStays) {
  H2Server server(once_ended([](const H2Asked& asked) {
    return h2_answer(asked.stream, {{":status", "200"}}, "two");
  }));
  const auto speaking = [&](const char* protocol, const char* idle) {
    return Json{
        {"upstreams", {{"app", {{"servers", {server.url()}}, {"protocol", protocol}, {"idle_timeout", idle}}}}}};
  };
  Reloaded file(speaking("http2", "30s"));
  EXPECT_EQ(file.client().get("/").body, "two");
  ASSERT_TRUE(file.reload(speaking("http2", "31s")));
  EXPECT_EQ(file.client().get("/").body, "two");
  EXPECT_EQ(server.connections(), 1U);
  ASSERT_TRUE(file.reload(speaking("http1", "31s")));
  ASSERT_TRUE(file.reload(speaking("http2", "31s")));
  EXPECT_EQ(file.client().get("/").body, "two");
  EXPECT_EQ(server.connections(), 2U);
}

TEST(Http2Servers, ThatAnswerWithNonsenseAndCloseAreNotWaitedFor) {
  std::atomic<unsigned> calls = 0;
  H2Server server([&](const H2Asked& asked) {
    if (asked.reset || !asked.ended || ++calls < 3) return std::string();
    return h2_request(asked.stream, {{":status", "200"}, {"Upper", "x"}}, false);
  });
  Proxy proxy(asking(server.url(), {{"routes", {{{"path", "/*"}, {"to", "app"}, {"timeout", "1m"}}}}}));
  H2Client client(proxy.gateway.port());
  const auto begun = std::chrono::steady_clock::now();
  client.send(h2_request(1, h2_get()) + h2_request(3, h2_get()) + h2_request(5, h2_get()));
  ASSERT_TRUE(wait_until([&] { return calls >= 3; }));
  server.hang_up();
  for (const std::uint32_t stream : {1U, 3U, 5U}) EXPECT_EQ(client.answer(stream).status, 502) << stream;
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
}

}  // namespace
}  // namespace headgate::test
