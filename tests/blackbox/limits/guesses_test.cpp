// Guesses whose client does not wait for the answer: however a request is ended from outside, a limit on wrong answers
// counts it, so the server is never asked more often than the limit allows.

#include "blackbox/grpc/calling.hpp"
#include "blackbox/harness/gateway.hpp"

#include "headgate/core/base64.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace headgate::test {
namespace {

constexpr std::size_t kAllowed = 3;   // guesses an hour
constexpr std::size_t kAttempts = 6;  // of each client

/// Each way to guess has its own counter.
Json guarded() {
  return {{"listen", {{"address", "127.0.0.1:0"}, {"http2", true}}},
          {"timeouts", {{"body", "300ms"}}},
          {"limits",
           {{"guesses", {{"rate", "3/hour"}, {"per", {"path:way"}}, {"count", {{"status", {401}}}}}},
            {"wrong",
             {{"rate", "1000/second"},
              {"per", {"path:way"}},
              {"ban", {{"after", 2}, {"within", "1m"}, {"for", "10m"}, {"status", {401}}}}}}}},
          {"routes",
           {{{"path", "/count/{way}"}, {"to", "app"}, {"limits", {"guesses"}}, {"max_body", "1KiB"}},
            {{"path", "/ban/{way}"}, {"to", "app"}, {"limits", {"wrong"}}, {"max_body", "1KiB"}}}}};
}

std::size_t asked(const FakeUpstream& upstream, const std::string& path) {
  const auto requests = upstream.requests();
  return static_cast<std::size_t>(std::ranges::count_if(
      requests, [&](const Seen& seen) { return seen.message.start_line.find(' ' + path + ' ') != std::string::npos; }));
}

/// A guess over HTTP/1.1: the head and the beginning of the body, and what ends it once the server has been asked.
struct Way {
  std::string name;
  std::string framing;
  std::function<void(RawClient&)> end;
};

const std::vector<Way>& ways() {
  static const std::vector<Way> all = {
      {"garbage", "Transfer-Encoding: chunked\r\n\r\n3\r\na=1\r\n", [](auto& c) { c.send("zz\r\n"); }},
      {"too-large", "Transfer-Encoding: chunked\r\n\r\n3\r\na=1\r\n", [](auto& c) { c.send("1000\r\n"); }},
      {"stops", "Content-Length: 10\r\n\r\na=1", [](auto&) {}},
      {"trailer", "Transfer-Encoding: chunked\r\n\r\n3\r\na=1\r\n", [](auto& c) { c.send("0\r\nno field\r\n\r\n"); }},
      {"fin", "Content-Length: 10\r\n\r\na=1", [](auto& c) { c.socket().finish_sending(); }},
      {"leaves", "Content-Length: 3\r\n\r\na=1", [](auto& c) { c.socket().reset(); }}};
  return all;
}

/// Returns when the server has been asked, or something came back.
void wait_until_asked(const FakeUpstream& upstream, const std::string& path, std::size_t before, RawClient& client) {
  for (int i = 0; i < 500 && asked(upstream, path) == before; ++i)
    if (!client.stays_silent(Milliseconds(10))) return;
}

TEST(Guesses, ArePaidForHoweverTheClientEndsThem) {
  Proxy proxy(guarded());
  for (const auto& way : ways()) {
    const auto path = "/count/" + way.name;
    for (std::size_t i = 0; i < kAttempts; ++i) {
      RawClient client = proxy.client();
      const auto before = asked(proxy.upstream, path);
      client.send("POST " + path + " HTTP/1.1\r\nHost: a\r\nX-Test-Never: 1\r\n" + way.framing);
      wait_until_asked(proxy.upstream, path, before, client);
      way.end(client);
      client.read_to_end(Milliseconds(2000));
    }
    EXPECT_EQ(asked(proxy.upstream, path), kAllowed) << way.name;
  }
}

TEST(Guesses, AreOffencesHoweverTheClientEndsThem) {
  Proxy proxy(guarded());
  for (const auto& way : ways()) {
    const auto path = "/ban/" + way.name;
    for (std::size_t i = 0; i < kAttempts; ++i) {
      RawClient client = proxy.client();
      const auto before = asked(proxy.upstream, path);
      client.send("POST " + path + " HTTP/1.1\r\nHost: a\r\nX-Test-Never: 1\r\n" + way.framing);
      wait_until_asked(proxy.upstream, path, before, client);
      way.end(client);
      client.read_to_end(Milliseconds(2000));
    }
    EXPECT_EQ(asked(proxy.upstream, path), 2U) << way.name;
  }
}

TEST(Guesses, OverHttp2ArePaidForHoweverTheClientEndsThem) {
  struct H2Way {
    std::string name;
    H2Fields fields;
    std::function<std::string(std::uint32_t)> end;
  };
  const std::vector<H2Way> all = {
      {"short", {{"content-length", "10"}}, [](auto id) { return h2_frame(h2_data, kEndStream, id, "b=2"); }},
      {"long", {{"content-length", "4"}}, [](auto id) { return h2_frame(h2_data, kEndStream, id, "b=2"); }},
      {"trailers",
       {},
       [](auto id) {
         return h2_request(id, {{":path", "/"}});
       }},
      {"too-large", {}, [](auto id) { return h2_frame(h2_data, 0, id, std::string(2000, 'x')); }},
      {"stops", {}, [](auto) { return std::string(); }},
      {"reset", {}, [](auto id) { return h2_frame(h2_rst_stream, 0, id, h2_number(8)); }},
      {"grpc", {{"content-type", "application/grpc"}, {"te", "trailers"}, {"grpc-timeout", "200m"}}, [](auto) {
         return std::string();
       }}};
  Proxy proxy(guarded());
  for (const auto& way : all) {
    const auto path = "/count/" + way.name;
    for (std::size_t i = 0; i < kAttempts; ++i) {
      H2Client client(proxy.gateway.port());
      const auto before = asked(proxy.upstream, path);
      auto fields = h2_get(path, {{"x-test-never", "1"}}, "POST");
      fields.insert(fields.end(), way.fields.begin(), way.fields.end());
      client.send(h2_request(1, fields, false) + h2_frame(h2_data, 0, 1, "a=1"));
      for (int n = 0; n < 500 && asked(proxy.upstream, path) == before; ++n)
        if (client.answer(1, Milliseconds(10)).status != 0) break;
      client.send(way.end(1));
      if (way.name != "reset") client.answer(1, Milliseconds(2000));
    }
    EXPECT_EQ(asked(proxy.upstream, path), kAllowed) << way.name;
  }
}

TEST(Guesses, AreFreeIfTheyWereAnsweredOtherwise) {
  Proxy proxy(guarded());
  RawClient client = proxy.client();
  for (std::size_t i = 0; i < kAttempts; ++i) {
    EXPECT_EQ(client.ask(request_with_body("POST", "/count/right", "a=1")).status(), 200);
    EXPECT_EQ(client.ask(request_with_body("POST", "/count/fails", "a=1", "X-Test-Status: 504\r\n")).status(), 504);
    EXPECT_EQ(proxy.client().ask(request_with_body("POST", "/count/gone", "a=1", "X-Test-Reset: 1\r\n")).status(), 502);
  }
}

TEST(Guesses, AtPasswordsArePaidForIfTheirDeadlineComesBeforeTheCheck) {
  // A check of it takes a quarter of a second and more.
  const TemporaryFile users("ann:$2y$12$YsYHolJpTs2HZo6Be5aG9.dGzxgn9M2H5vDz1KHwGIu3BTQhGjyHm\n", "users");
  auto changes = guarded();
  changes["routes"] = {{{"path", "/count/{way}"},
                        {"to", "app"},
                        {"limits", {"guesses"}},
                        {"basic", {{"file", users.path()}, {"realm", "inner"}}}}};
  Proxy proxy(changes);
  RawClient client = proxy.client();
  std::size_t rejected = 0;
  for (std::size_t i = 0; i < kAttempts; ++i) {
    const auto shown =
        "Authorization: Basic " + base64("ann:guess-" + std::to_string(i)) + "\r\nX-Request-Deadline: 1\r\n";
    const auto status = client.get("/count/password", shown).status();
    EXPECT_TRUE(status == 504 || status == 429) << status;
    rejected += status == 429 ? 1 : 0;
  }
  EXPECT_EQ(rejected, kAttempts - kAllowed);
}

Json calls_of(const std::string& url) {
  return asking(url,
                {{"limits", {{"guesses", {{"rate", "3/hour"}, {"per", "client_ip"}, {"count", {{"status", {401}}}}}}}},
                 {"routes", {{{"path", "/*"}, {"to", "app"}, {"limits", {"guesses"}}}}}});
}

std::string post(const std::string& fields) {
  return request_with_body("POST", "/test.Login/Try", grpc_message("guess"), fields);
}

TEST(Guesses, ArePaidForIfTheServerItselfGivesUpAtTheCallersDeadline) {
  for (const std::string fields : {"Content-Type: application/grpc\r\ngrpc-timeout: 1m\r\n",
                                   "Content-Type: application/json\r\ngrpc-timeout: 1m\r\n",
                                   "Content-Type: application/json\r\nConnect-Timeout-Ms: 1\r\n"}) {
    const bool connect = fields.find("Connect") != std::string::npos;
    H2Server server(once_ended([connect](const H2Asked& asked) {
      return connect ? h2_answer(asked.stream, {{":status", "504"}}) : grpc_failure(asked.stream, "4");
    }));
    Proxy proxy(calls_of(server.url()));
    RawClient client = proxy.client();
    std::size_t rejected = 0;
    for (std::size_t i = 0; i < kAttempts; ++i) rejected += client.ask(post(fields)).status() == 429 ? 1 : 0;
    EXPECT_EQ(rejected, kAttempts - kAllowed) << fields;
  }
}

TEST(Guesses, CountByTheStatusOfTheCallWhateverTypeTheRequestHas) {
  for (const std::string type : {"application/grpc", "application/grpcx", "application/json", ""}) {
    H2Server server(once_ended([](const H2Asked& asked) { return grpc_answer(asked.stream, "16"); }));
    Proxy proxy(calls_of(server.url()));
    RawClient client = proxy.client();
    std::size_t rejected = 0;
    const auto fields = type.empty() ? "" : "Content-Type: " + type + "\r\n";
    for (std::size_t i = 0; i < kAttempts; ++i) rejected += client.ask(post(fields)).status() == 429 ? 1 : 0;
    EXPECT_EQ(rejected, kAttempts - kAllowed) << type;
  }
}

TEST(Guesses, ArePaidForIfTheClientLeavesACallWhoseAnswerHasOnlyAHead) {
  std::atomic<std::size_t> calls = 0;
  H2Server server(once_ended([&](const H2Asked& asked) {
    ++calls;
    return h2_request(asked.stream, {{":status", "200"}, {"content-type", "application/grpc"}}, false);
  }));
  Proxy proxy(calls_of(server.url()));
  for (std::size_t i = 0; i < kAttempts; ++i) {
    H2Client client(proxy.gateway.port());
    client.send(h2_request(1, call("Try"), false) + h2_frame(h2_data, kEndStream, 1, grpc_message("guess")));
    for (int n = 0; n < 500 && client.answer(1, Milliseconds(10)).status == 0; ++n) continue;
    client.send(h2_frame(h2_rst_stream, 0, 1, h2_number(8)));
  }
  EXPECT_EQ(calls, kAllowed);
}

}  // namespace
}  // namespace headgate::test
