// "eject" and "circuit", and what `headgate check` says of them.

#include "loaded.hpp"

#include <gtest/gtest.h>

namespace headgate::config {
namespace {

using namespace std::chrono_literals;

std::string upstream(const std::string& more, const std::string& servers = R"("http://a:1", "http://b:1")") {
  return R"({ "listen": ":8080", "upstreams": { "app": { "servers": [)" + servers + "]" + more +
         R"( } }, "routes": [{ "path": "/*", "to": "app" }] })";
}
bool says(const std::string& source, const std::string& words) {
  const auto text = meaning(loaded(source), "f");
  EXPECT_NE(text, "");
  return text.find(words) != std::string::npos;
}

TEST(ServersThatFail, AreEjectedByDefaultAndCheckSaysSo) {
  EXPECT_EQ(loaded(upstream("")).upstreams[0].eject, balance::EjectOptions{});
  EXPECT_TRUE(balance::EjectOptions{}.on);
  EXPECT_TRUE(
      says(upstream(""),
           "\nUpstream app: a server gets no requests for 5s or longer after 3 failures in a row,\n  50% failures "
           "within 10s, 3s without an answer, or 3 times the latency of the others; never all servers.\n"));
}

TEST(ServersThatFail, AreNotMentionedIfThereIsOnlyOne) {
  EXPECT_FALSE(says(upstream("", R"("http://a:1")"), "Upstream app"));
}

TEST(ServersThatFail, KeepTheirRequestsIfEjectIsOff) {
  const auto off = upstream(R"(, "eject": "off")");
  EXPECT_FALSE(loaded(off).upstreams[0].eject.on);
  EXPECT_TRUE(says(off, "Upstream app: a server that fails keeps its requests (\"eject\" is off).\n"));
}

TEST(ServersThatFail, AreEjectedAsTheFileSays) {
  const auto config = loaded(upstream(R"(, "eject": { "in_a_row": 7, "share": "25%", "of_last": "1m", "at_least": 9,
    "silent": "1s", "slower": 4, "time": "1m", "longest": "2m", "most": "10%", "panic_below": "20%" })"));
  EXPECT_EQ(config.upstreams[0].eject, (balance::EjectOptions{.in_a_row = 7,
                                                              .share = 250'000,
                                                              .of_last = 1min,
                                                              .at_least = 9,
                                                              .silent = 1s,
                                                              .slower = 4,
                                                              .time = 1min,
                                                              .longest = 2min,
                                                              .most = 100'000,
                                                              .panic_below = 200'000}));
}

TEST(ServersThatFail, OpenACircuitOnlyIfTheFileSaysSo) {
  EXPECT_FALSE(loaded(upstream("")).upstreams[0].circuit);
  const auto with =
      upstream(R"(, "circuit": { "open_at": "25%", "of_last": "1m", "at_least": 9, "try_again": "2s", "trials": 2 })");
  const auto config = loaded(with);
  EXPECT_EQ(
      config.upstreams[0].circuit,
      (balance::CircuitOptions{.open_at = 250'000, .of_last = 1min, .at_least = 9, .try_again = 2s, .trials = 2}));
  EXPECT_TRUE(says(with,
                   "\nUpstream app gets no requests for 2s if 25% of at least 9 fail within 1m; they are refused "
                   "with 503.\n"));
}

}  // namespace
}  // namespace headgate::config
