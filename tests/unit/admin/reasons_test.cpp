// The list of what is wrong with a gateway.

#include "headgate/admin/reasons.hpp"

#include "support/events.hpp"
#include "support/metrics_text.hpp"
#include "support/virtual_clock.hpp"

#include "headgate/admin/reason_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace headgate::admin {
namespace {

using headgate::test::Events;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Reasons, SaysInOneEventEachThatSomethingIsWrongAndThatItIsWellAgain) {
  Events events;
  Reasons reasons;
  reasons.set(ReasonKind::no_server, "api", "2 servers refused the last connections");
  reasons.set(ReasonKind::no_server, "api", "2 servers refused them for longer");
  ASSERT_THAT(events.lines,
              ElementsAre(AllOf(HasSubstr("reason_began"), HasSubstr(R"("reason":"no_server")"),
                                HasSubstr(R"("subject":"api")"), HasSubstr("2 servers refused the last"))));
  EXPECT_EQ(reasons.list().at(0).words, "2 servers refused them for longer");
  reasons.clear(ReasonKind::no_server, "api");
  reasons.clear(ReasonKind::no_server, "api");
  ASSERT_EQ(events.lines.size(), 2u);
  EXPECT_THAT(events.lines[1], HasSubstr("reason_ended"));
  EXPECT_THAT(reasons.list(), IsEmpty());
}

TEST(Reasons, LeavesToOtherEventsWhatTheySayAlready) {
  Events events;
  Reasons reasons;
  reasons.set(ReasonKind::circuit_open, "api");
  reasons.clear(ReasonKind::circuit_open, "api");
  EXPECT_THAT(events.lines, IsEmpty());
}

TEST(Reasons, KeepsSubjectsApart) {
  Reasons reasons;
  reasons.set_only(ReasonKind::no_server, {{"one", "a"}, {"two", "b"}});
  reasons.set(ReasonKind::name_unresolved, "one");
  reasons.set_only(ReasonKind::no_server, {{"two", "c"}});
  EXPECT_FALSE(reasons.has(ReasonKind::no_server, "one"));
  EXPECT_TRUE(reasons.has(ReasonKind::no_server, "two"));
  EXPECT_TRUE(reasons.has(ReasonKind::name_unresolved, "one")) << "another kind";
}

TEST(Reasons, TellTheWorstFirstAndDecideWhetherTheGatewayIsReady) {
  Reasons reasons;
  reasons.set(ReasonKind::reload_refused);
  EXPECT_THAT(readiness_of(reasons).degraded, IsEmpty()) << "it serves with the configuration before";
  reasons.set(ReasonKind::no_server, "api");
  EXPECT_THAT(readiness_of(reasons).unready, IsEmpty()) << "the other routes still work";
  EXPECT_THAT(readiness_of(reasons).degraded, ElementsAre("no server of upstream \"api\" answers"));
  reasons.set(ReasonKind::draining);
  EXPECT_THAT(readiness_of(reasons).unready, ElementsAre("this gateway is draining"));
  EXPECT_EQ(reasons.list().front().kind, ReasonKind::draining);
  EXPECT_EQ(reasons.list().back().kind, ReasonKind::reload_refused);
}

TEST(Reasons, AreSeriesWhileTheyLast) {
  observe::Registry registry;
  Reasons reasons;
  reasons.collect(registry);
  reasons.set(ReasonKind::no_server, "api");
  const auto series = R"(headgate_reason{reason="no_server",subject="api",severity="degraded"})";
  EXPECT_EQ(test::MetricsReader::read(registry.text()).value(series), 1);
  reasons.clear(ReasonKind::no_server, "api");
  EXPECT_EQ(test::MetricsReader::read(registry.text()).value(series), std::nullopt);
}

TEST(ReasonWatch, LooksAtOnceAndFourTimesASecondUntilItsStop) {
  headgate::test::VirtualClock clock;
  ReasonWatch watch(clock);
  int looks = 0;
  watch.add([&] { ++looks; });
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(looks, 0) << "before its start";
  watch.start();
  EXPECT_EQ(looks, 1);
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(looks, 5);
  watch.stop();
  watch.stop();
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(looks, 5);
  EXPECT_EQ(clock.armed(), 0U);
}

TEST(ReasonWatch, TellsWhatIsWrongByItsNextLookAndWhatIsWellAgain) {
  headgate::test::VirtualClock clock;
  Reasons reasons;
  observe::Logs::Failing failing;
  ReasonWatch watch(clock);
  watch.add([&] { tell_logs(reasons, failing); });
  watch.start();
  failing.access = true;
  EXPECT_FALSE(reasons.has(ReasonKind::log_failing, "access"));
  clock.advance(std::chrono::milliseconds(250));
  EXPECT_TRUE(reasons.has(ReasonKind::log_failing, "access"));
  failing.access = false;
  clock.advance(std::chrono::milliseconds(250));
  EXPECT_FALSE(reasons.has(ReasonKind::log_failing, "access"));
}

TEST(ReasonRows, EachHaveAName) {
  std::set<std::string_view> names;
  for (const auto& row : reason_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.sentence.empty()) << row.name;
  }
}

// Whoever reads a reason in `headgate status` has just typed that.
TEST(ReasonRows, NameACommandThatTellsMoreThanStatus) {
  for (const auto& row : reason_rows()) EXPECT_NE(row.command, "headgate status") << row.name;
}

TEST(TellRedis, SaysWhatTheLimitsDoMeanwhile) {
  const auto words = [](const RedisOutage& outage) {
    Reasons reasons;
    tell_redis(reasons, &outage);
    for (const auto& each : reasons.list())
      if (each.kind == ReasonKind::redis_lost) return each.words;
    return std::string();
  };
  RedisOutage outage;
  outage.local_limits = {"per-ip"};
  EXPECT_EQ(words(outage), "limit \"per-ip\" is counted by this gateway alone, in full");
  outage.instances = 2;
  EXPECT_EQ(words(outage), "limit \"per-ip\" is counted by this gateway alone, 1/2 of each size");
  outage.open_limits = {"a", "b", "c", "d", "e"};
  EXPECT_EQ(
      words(outage),
      "limit \"per-ip\" is counted by this gateway alone, 1/2 of each size; limits \"a\", \"b\", \"c\" and 2 more "
      "reject nobody");
  outage.closed_limits = {"pay", "login"};
  EXPECT_THAT(words(outage), HasSubstr("; limits \"pay\" and \"login\" reject everybody"));
}

TEST(TellSettling, ComplainsOfWhatHasWaitedForMoreThanHalfAMinute) {
  Reasons reasons;
  const Clock::Steady now(std::chrono::hours(1));
  redis::Outstanding waiting{.settlements = 12, .permits = 340, .oldest = now - std::chrono::seconds(30)};
  tell_settling(reasons, waiting, now);
  EXPECT_FALSE(reasons.has(ReasonKind::settling_behind));
  tell_settling(reasons, waiting, now + std::chrono::seconds(1));
  ASSERT_TRUE(reasons.has(ReasonKind::settling_behind));
  EXPECT_EQ(reasons.list().front().words, "12 settlements of 340 permits wait");
  tell_settling(reasons, {}, now);
  EXPECT_FALSE(reasons.has(ReasonKind::settling_behind));
}

std::string with_dots(std::string_view pattern) {
  std::string out(pattern);
  if (const auto at = out.find("{}"); at != std::string::npos) out.replace(at, 2, "…");
  return out;
}

TEST(ReasonRows, AreThoseOfTheDocuments) {
  std::ifstream file(HEADGATE_SOURCE_DIR "/docs/admin.md");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  for (const auto& row : reason_rows())
    EXPECT_THAT(text, HasSubstr("| `" + std::string(row.name) + "` | " + std::string(severity_text(row.severity)) +
                                " | " + with_dots(row.sentence) + " | `" + with_dots(row.command) + "` |\n"));
}

UpstreamReport upstream_with(std::optional<balance::CircuitState> circuit) {
  UpstreamReport out{.upstream = "api", .watch = {}};
  out.watch.circuit = circuit;
  out.watch.servers.emplace_back();
  return out;
}

TEST(TellUpstreams, NamesTheCircuitsThatAreNotClosed) {
  Reasons reasons;
  tell_upstreams(reasons, {upstream_with(balance::CircuitState::open)});
  EXPECT_TRUE(reasons.has(ReasonKind::circuit_open, "api"));
  tell_upstreams(reasons, {upstream_with(balance::CircuitState::half_open)});
  EXPECT_TRUE(reasons.has(ReasonKind::circuit_open, "api")) << "most requests are still refused";
  tell_upstreams(reasons, {upstream_with(balance::CircuitState::closed)});
  EXPECT_THAT(reasons.list(), IsEmpty());
  tell_upstreams(reasons, {upstream_with(balance::CircuitState::open)});
  tell_upstreams(reasons, {});
  EXPECT_THAT(reasons.list(), IsEmpty()) << "what a reload removed";
}

balance::ServerReport server_that(std::uint8_t out, std::uint32_t failed) {
  balance::ServerReport server;
  server.server = "a:80";
  server.out = out;
  server.failed_in_a_row = failed;
  server.failing = failed > 0;
  return server;
}

std::string told_of(std::vector<balance::ServerReport> servers) {
  UpstreamReport report{.upstream = "api", .watch = {}};
  report.watch.servers = std::move(servers);
  Reasons reasons;
  tell_upstreams(reasons, {report});
  return reasons.has(ReasonKind::no_server, "api") ? reasons.list().front().words : std::string();
}

TEST(TellUpstreams, NamesAnUpstreamWithoutAServerThatAnswersAndWhy) {
  const auto well = server_that(0, 0);
  const auto dead = server_that(0, 690);
  EXPECT_EQ(told_of({dead, well}), "") << "the other one serves";
  EXPECT_EQ(told_of({dead}), "a:80 could not be connected to 690 times in a row");
  auto untried = dead;
  untried.last_tried = std::chrono::milliseconds(9'999);
  EXPECT_EQ(told_of({untried}), "a:80 could not be connected to 690 times in a row");
  untried.last_tried = std::chrono::milliseconds(41'500);
  EXPECT_EQ(told_of({untried}), "a:80 could not be connected to 690 times in a row, and was not tried for 41s");
  EXPECT_THAT(told_of({dead, server_that(balance::kUnhealthy, 0), server_that(balance::kDrained, 0), dead}),
              AllOf(HasSubstr("a:80 fails its health checks; a:80 was taken out by an operator; and 1 more")));
}

TEST(TellKeys, NamesSourcesWhoseLastReadingFailed) {
  keyring::SourceReport never;
  never.source = "new.json";
  keyring::SourceReport failed;
  failed.source = "keys.json";
  failed.failures = 1;
  failed.trouble = "it is not JSON";
  Reasons reasons;
  tell_keys(reasons, {never, failed});
  ASSERT_EQ(reasons.list().size(), 1U);
  EXPECT_EQ(reasons.list()[0].subject, "keys.json");
  EXPECT_EQ(reasons.list()[0].words, "it is not JSON");
  failed.fresh = true;
  tell_keys(reasons, {failed});
  EXPECT_THAT(reasons.list(), IsEmpty());
}

TEST(TellLogs, NamesTheLogThatFails) {
  Reasons reasons;
  tell_logs(reasons, {.access = true, .error = false});
  EXPECT_TRUE(reasons.has(ReasonKind::log_failing, "access"));
  EXPECT_EQ(sentence_of(reasons.list()[0]), "the access log cannot be written");
  tell_logs(reasons, {});
  EXPECT_THAT(reasons.list(), IsEmpty());
}

TEST(RisingCount, LastsUntilACounterIsConstantForAMinute) {
  using namespace std::chrono_literals;
  RisingCount dropped;
  const RisingCount::Steady start(1h);
  EXPECT_FALSE(dropped.rises(start, 7)) << "counted before";
  EXPECT_TRUE(dropped.rises(start + 1s, 8));
  EXPECT_TRUE(dropped.rises(start + 60s, 8));
  EXPECT_FALSE(dropped.rises(start + 61s, 8));
  EXPECT_TRUE(dropped.rises(start + 62s, 9));
}

}  // namespace
}  // namespace headgate::admin
