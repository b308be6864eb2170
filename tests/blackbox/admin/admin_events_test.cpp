// The stream of events: what a reader sees, and what it cannot do to the gateway.

#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/reloaded.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

const Json kWithAdmin = {{"admin", {{"listen", "127.0.0.1:0"}}}};
const std::string kFollow = "GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

bool comes_to(const std::function<bool()>& holds) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!holds() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(Milliseconds(20));
  return holds();
}

/// One who follows the events.
class Follower {
 public:
  explicit Follower(std::uint16_t port) : client_(port) { client_.send(kFollow); }

  /// Reads until the text has `word`; false if that does not come.
  bool sees(const std::string& word) {
    while (text_.find(word) == std::string::npos)
      if (client_.socket().receive(text_) != Got::bytes) return false;
    return true;
  }
  bool ends() {
    Got got = Got::bytes;
    while (got == Got::bytes) got = client_.socket().receive(text_);
    return got == Got::end;
  }
  const std::string& text() const { return text_; }
  RawClient& client() { return client_; }

 private:
  RawClient client_;
  std::string text_;
};

TEST(AdminEvents, AreSentAsTheyHappen) {
  Reloaded file(kWithAdmin);
  const Operator operators(file.process());
  Follower follower(operators.port());
  ASSERT_TRUE(follower.sees(": events of this gateway\n\n")) << follower.text();
  EXPECT_TRUE(has(follower.text(), "HTTP/1.1 200 OK")) << follower.text();
  EXPECT_TRUE(has(follower.text(), "Content-Type: text/event-stream")) << follower.text();
  EXPECT_EQ(operators.ask("POST", "/api/v1/reload").status(), 200);
  ASSERT_TRUE(follower.sees("event: config_reloaded\ndata: {")) << follower.text();
  ASSERT_TRUE(follower.sees("event: admin_change\ndata: {")) << follower.text();
  EXPECT_TRUE(follower.sees("\"what\":\"POST /api/v1/reload\"")) << follower.text();
}

TEST(AdminEvents, ComeWhateverLevelIsLogged) {
  Reloaded file(kWithAdmin);
  const Operator operators(file.process());
  EXPECT_EQ(operators.ask("PUT", "/api/v1/log-level", R"({"level": "error"})").status(), 200);
  Follower follower(operators.port());
  ASSERT_TRUE(follower.sees(": events"));
  const auto logged = count_of(file.process().err(), "admin_change");
  EXPECT_EQ(operators.ask("POST", "/api/v1/drain").status(), 202);
  EXPECT_TRUE(follower.sees("event: admin_change\n")) << follower.text();
  EXPECT_EQ(count_of(file.process().err(), "admin_change"), logged);
  EXPECT_EQ(file.process().wait(), 0);
}

TEST(AdminEvents, EndWithADrain) {
  Proxy proxy(kWithAdmin);
  Follower follower(admin_port(proxy.gateway.process()));
  ASSERT_TRUE(follower.sees(": events"));
  proxy.gateway.process().signal(SIGTERM);
  EXPECT_TRUE(follower.sees("event: draining\n")) << follower.text();
  EXPECT_TRUE(follower.sees("\r\n0\r\n\r\n")) << "the answer ends as it should: " << follower.text();
  EXPECT_EQ(proxy.gateway.process().wait(), 0);
}

TEST(AdminEvents, HaveOnlyAFewReaders) {
  Proxy proxy(kWithAdmin);
  const Operator operators(proxy.gateway.process());
  std::vector<Follower> followers;
  for (int i = 0; i < 8; ++i) {
    followers.emplace_back(operators.port());
    ASSERT_TRUE(followers.back().sees(": events"));
  }
  expect_refusal(operators.ask("GET", "/api/v1/events"), 503);
  EXPECT_EQ(operators.ask("GET", "/api/v1/status").status(), 200);
}

TEST(AdminEvents, AReaderThatLeavesFreesItsPlaceAtOnce) {
  Proxy proxy(kWithAdmin);
  const Operator operators(proxy.gateway.process());
  for (const bool resets : {false, true}) {
    std::vector<Follower> followers;
    for (int i = 0; i < 8; ++i) {
      followers.emplace_back(operators.port());
      ASSERT_TRUE(followers.back().sees(": events")) << i;
    }
    expect_refusal(operators.ask("GET", "/api/v1/events"), 503);
    const auto began = std::chrono::steady_clock::now();
    for (auto& each : followers) resets ? each.client().socket().reset() : each.client().socket().close();
    followers.clear();
    // Less than the pause between comments, by which a reader that left is noticed in any case.
    const auto waited = [&] { return std::chrono::steady_clock::now() - began; };
    const auto free = [&] {
      for (int i = 0; i < 8; ++i)
        if (followers.emplace_back(operators.port()).client().read_head().status() != 200) return false;
      return true;
    };
    bool all = free();
    while (!all && waited() < Milliseconds(3000)) followers.clear(), all = free();
    EXPECT_TRUE(all) << (resets ? "RST" : "FIN");
    followers.clear();
    while (operators.ask("HEAD", "/api/v1/events").status() != 200 && waited() < Milliseconds(6000)) {
    }
  }
}

TEST(AdminEvents, AnswerHeadAtOnce) {
  Proxy proxy(kWithAdmin);
  const Operator operators(proxy.gateway.process());
  const auto answer = operators.ask("HEAD", "/api/v1/events");
  EXPECT_EQ(answer.status(), 200);
  EXPECT_EQ(answer.value("Content-Type"), "text/event-stream");
}

TEST(AdminEvents, NobodyWaitsForASlowReader) {
  Proxy proxy(kWithAdmin);
  const Operator operators(proxy.gateway.process());
  Follower slow(operators.port());
  slow.client().socket().shrink_receive_buffer();
  ASSERT_TRUE(slow.sees(": events"));
  RawClient busy(operators.port());
  const std::string body = R"({"level": "info"})";
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(busy.ask(operators.text("PUT", "/api/v1/log-level", body)).status(), 200);
  EXPECT_EQ(proxy.client().get().status(), 200);
}

TEST(LastEvents, AreShownByACommandAndFollowed) {
  const Json guarded = {{"admin", {{"listen", "127.0.0.1:0"}, {"token", "token-of-operators"}, {"read_token", "r"}}}};
  Reloaded file(guarded);
  const Operator operators(file.process(), "token-of-operators");
  EXPECT_EQ(operators.ask("POST", "/api/v1/reload").status(), 200);
  const std::vector<std::string> reader{"HEADGATE_ADMIN=" + operators.url(), "HEADGATE_ADMIN_TOKEN=r"};
  const auto shown = run_headgate({"events"}, reader);
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_TRUE(has(shown.out, "Z info config_reloaded")) << shown.out;
  const auto json = Json::parse(run_headgate({"events", "--json", "--last", "1"}, reader).out, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["events"].size(), 1U);
  EXPECT_EQ(json["events"][0]["event"], "admin_change");
  Process follower({"events", "--follow", "--json", "--last", "1"}, reader);
  ASSERT_TRUE(comes_to([&] { return has(follower.out(), "admin_change"); })) << follower.err();
  EXPECT_EQ(operators.ask("PUT", "/api/v1/log-level", R"({"level": "info"})").status(), 200);
  EXPECT_TRUE(comes_to([&] { return has(follower.out(), "PUT /api/v1/log-level"); })) << follower.out();
  EXPECT_EQ(operators.ask("GET", "/api/v1/events/last?after=x").status(), 400);
  EXPECT_EQ(operators.ask("GET", "/api/v1/events/last?limit=101").status(), 400);
}

}  // namespace
}  // namespace headgate::test
