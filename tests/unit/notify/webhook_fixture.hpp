#pragma once
// A webhook sender on the loop of the test, whose pauses pass when the test says so; its receiver, and its log.

#include "receiver.hpp"
#include "support/virtual_clock.hpp"

#include "headgate/notify/webhook.hpp"

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace headgate::notify::test {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

class WebhookTest : public testing::Test {
 protected:
  WebhookTest() {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(log, true);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", std::move(sink)));
    options.url = {.scheme = net::Scheme::http, .host = "127.0.0.1", .port = receiver.port, .target = "/in?key=hidden"};
    options.secrets = {secret};
  }
  ~WebhookTest() override {
    webhook.reset();
    run_a_little();
    spdlog::set_default_logger(usual_logger);
  }

  void start() { webhook.emplace(loop, clock, options); }

  bool run_until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!done() && std::chrono::steady_clock::now() < end) {
      if (loop.stopped()) loop.restart();
      loop.run_one_for(10ms);
    }
    return done();
  }
  bool run_until_received(std::size_t count) {
    return run_until([&] { return receiver.requests.size() >= count; });
  }
  bool run_until_delivered(std::uint64_t count) {
    return run_until([&] { return webhook->counts().delivered >= count; });
  }
  /// The same where an attempt may end at its timeout, as it can on a busy machine.
  bool run_until_delivered_sometime(std::uint64_t count) {
    return run_until([&] {
      clock.advance(1s);
      return webhook->counts().delivered >= count;
    });
  }
  /// Runs until this many failures are in the log.
  bool run_until_failed(std::size_t count) {
    return run_until([&] { return logged("webhook_failed") >= count; });
  }
  /// So long that whatever is ready happens.
  void run_a_little() {
    if (loop.stopped()) loop.restart();
    loop.run_for(30ms);
  }

  std::size_t logged(std::string_view text) const {
    const auto all = log.str();
    std::size_t count = 0;
    for (auto at = all.find(text); at != all.npos; at = all.find(text, at + 1)) ++count;
    return count;
  }

  std::shared_ptr<spdlog::logger> usual_logger = spdlog::default_logger();
  std::ostringstream log;
  boost::asio::io_context loop{1};
  headgate::test::VirtualClock clock;
  Receiver receiver{loop};
  const std::string secret = "sixty-four-bytes-at-most-24-at-least";
  WebhookOptions options;
  std::optional<Webhook> webhook;
};

}  // namespace headgate::notify::test
