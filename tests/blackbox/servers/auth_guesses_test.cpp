// Guesses at an auth service by clients that do not wait for its answer.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/h2_client.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace headgate::test {
namespace {

/// A gateway whose route asks a service, and takes three wrong credentials an hour.
struct Guessed {
  Guessed() : gateway(config()) {}
  Json config() const {
    const Json auth = {{"url", service.url() + "/check"}};
    return config_for(app, {{"routes", {{{"path", "/*"}, {"to", "app"}, {"auth", auth}}}},
                            {"identity", {{"failures", {{"rate", "3/hour"}}}}},
                            {"listen", {{"address", "127.0.0.1:0"}, {"http2", true}}}});
  }
  /// The next answers of the service, each after a while.
  void says(int status, const std::string& after, std::size_t times) {
    service.answer_next(times, {{"X-Test-Status", std::to_string(status)}, {"X-Test-Delay-Ms", after}});
  }
  /// Waits until the service has been asked more than `before` times. False: `silent` was not so before.
  bool is_asked(std::size_t before, const std::function<bool()>& silent) const {
    for (int i = 0; i < 500 && service.request_count() == before; ++i)
      if (!silent()) return false;
    return service.request_count() > before;
  }

  FakeUpstream app;
  FakeUpstream service;
  Gateway gateway;
};

std::string shows(int guess) { return "Authorization: Basic guess-" + std::to_string(guess) + "\r\n"; }

TEST(AuthGuesses, AreNoMoreThanTheirCallersMayMakeThoughTheyDoNotWait) {
  for (const std::string way : {"closes", "deadline"}) {
    Guessed guarded;
    guarded.says(401, "1000", 100);
    for (int i = 0; i < 6; ++i) {
      RawClient client = guarded.gateway.client();
      const auto before = guarded.service.request_count();
      const auto soon = std::chrono::system_clock::now() + std::chrono::milliseconds(200);
      const auto at = std::chrono::duration<double>(soon.time_since_epoch()).count();
      const auto deadline = way == "deadline" ? "X-Request-Deadline: " + std::to_string(at) + "\r\n" : "";
      client.send(request("GET", "/", shows(i) + deadline + "Connection: close\r\n"));
      guarded.is_asked(before, [&] { return client.stays_silent(Milliseconds(10)); });
      if (way == "closes") client.socket().reset();
      client.read_to_end(Milliseconds(2000));
    }
    EXPECT_EQ(guarded.service.request_count(), 3U) << way;
  }
}

TEST(AuthGuesses, OverHttp2AreNoMoreEither) {
  for (const std::string way : {"reset", "grpc"}) {
    Guessed guarded;
    guarded.says(401, "1000", 100);
    for (int i = 0; i < 6; ++i) {
      H2Client client(guarded.gateway.port());
      const auto before = guarded.service.request_count();
      H2Fields fields = {{"authorization", "Basic guess-" + std::to_string(i)}};
      if (way == "grpc") fields.insert(fields.end(), {{"content-type", "application/grpc"}, {"grpc-timeout", "200m"}});
      client.send(h2_request(1, h2_get("/", fields, "POST")));
      const bool asked = guarded.is_asked(before, [&] {
        const auto answer = client.answer(1, Milliseconds(10));
        return answer.status == 0 && !answer.reset;
      });
      if (way == "reset" && asked) client.send(h2_frame(h2_rst_stream, 0, 1, h2_number(8)));
      client.answer(1, Milliseconds(500));
      client.closes(Milliseconds(1));
    }
    EXPECT_EQ(guarded.service.request_count(), 3U) << way;
  }
}

TEST(AuthGuesses, GiveBackTheirAttemptIfTheyAreRight) {
  Guessed guarded;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(guarded.gateway.client().get("/", shows(i)).status(), 200) << i;
  // Who has been right pays nothing in advance, however many come at once.
  guarded.says(200, "300", 10);
  std::vector<RawClient> crowd;
  for (int i = 0; i < 10; ++i) crowd.push_back(guarded.gateway.client());
  for (int i = 0; i < 10; ++i) crowd[static_cast<std::size_t>(i)].send(request("GET", "/", shows(i)));
  for (auto& each : crowd) EXPECT_EQ(each.read().status(), 200);
  // Nor does a crowd with the same credential pay more than once.
  guarded.says(200, "300", 10);
  for (auto& each : crowd) each.send(request("GET", "/", shows(99)));
  for (auto& each : crowd) EXPECT_EQ(each.read().status(), 200);
}

}  // namespace
}  // namespace headgate::test
