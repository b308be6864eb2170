// The state that one process hands to the next one, as bytes: also damaged, cut or from a version of which nothing is
// known.

#include "../../../src/server/upgrade/handed_state.hpp"

#include "../../../src/server/upgrade/state_form.hpp"
#include "support/rules.hpp"

#include "headgate/admin/admin_board.hpp"
#include "headgate/admin/operator_board.hpp"
#include "headgate/limit/ban_table.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/net/loop_clock.hpp"
#include "headgate/observe/logs.hpp"
#include "headgate/services/override_service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace headgate::server {
namespace {

using testing::Contains;
using testing::Key;

/// What one process has.
struct OneProcess {
  boost::asio::io_context loop;
  net::LoopClock clock{loop};
  limit::MemoryStore memory{{.max_keys = 10'000}};
  limit::BanTable bans;
  std::shared_ptr<services::OverrideService> overrides = std::make_shared<services::OverrideService>(
      clock, [](const config::Config&) -> std::shared_ptr<limit::SharedLog> { return nullptr; });
  admin::AdminBoard board;
  admin::OperatorBoard operators{loop};
  StateParts parts(observe::Logs& logs) { return {memory, bans, *overrides, board, operators, logs, sizes}; }
  std::vector<admin::SetSize> sizes;
};

class HandedState : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 3000; ++i) take("k" + std::to_string(i));
    before.bans.add("plan", "mallory", std::chrono::hours(1), now());
    limit::Override one;
    one.limit = "plan";
    one.key = "vip";
    one.rates.push_back(*parse_rate("7/day"));
    one.since = now();
    one.until = now() + std::chrono::hours(1);
    before.overrides->restore({one});
  }
  void take(const std::string& key) {
    const limit::Check check{.rule = &rule, .key = key, .hash = keyed_hash(key, rule.seed)};
    limit::Decision out;
    before.memory.decide({&check, 1}, now(), {&out, 1});
  }
  /// The state, with what `change` makes of it.
  template <class Change>
  TakeoverResult taken(Change change, bool same_hashes = true) {
    const int file = write_state(before.parts(logs), most);
    EXPECT_GE(file, 0);
    std::string bytes(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)), '\0');
    EXPECT_EQ(::pread(file, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    ::close(file);
    change(bytes);
    const int changed = ::memfd_create("test", 0);
    EXPECT_EQ(::write(changed, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    auto out = read_state(changed, after.parts(logs), same_hashes);
    ::close(changed);
    return out;
  }

  limit::Rule rule = headgate::test::make_rule("10/day");
  observe::LogOptions off() {
    observe::LogOptions out;
    out.error = out.access = "off";
    return out;
  }
  observe::Logs logs{off()};
  OneProcess before;
  OneProcess after;
  std::uint64_t most = kMaxState;
};

TEST_F(HandedState, IsTakenAsAWhole) {
  const auto out = taken([](std::string&) {});
  EXPECT_TRUE(out.left_out.empty());
  EXPECT_EQ(out.counters, 3000U);
  EXPECT_EQ(after.memory.keys(), 3000U);
  EXPECT_EQ(out.suspensions, 1U);
  EXPECT_TRUE(after.bans.find(std::string_view("plan"), "mallory", now()));
  EXPECT_TRUE(after.bans.operated());
  EXPECT_EQ(out.overrides, 1U);
  EXPECT_TRUE(after.overrides->book().find("plan", "vip", now()));
}

TEST_F(HandedState, HasWhatAnOperatorGaveServers) {
  before.sizes = {{.upstream = "app", .server = "a:80", .weight = 3, .written_weight = 2},
                  {.upstream = "app", .server = "b:80", .max_in_flight = 7, .written_max_in_flight = 5}};
  const auto out = taken([](std::string&) {});
  EXPECT_TRUE(out.left_out.empty());
  ASSERT_EQ(out.sizes.size(), 2U);
  EXPECT_EQ(out.sizes[0].server, "a:80");
  EXPECT_EQ(out.sizes[0].weight, 3U);
  EXPECT_EQ(out.sizes[0].written_weight, 2U);
  EXPECT_EQ(out.sizes[1].max_in_flight, 7U);
  EXPECT_EQ(out.sizes[1].written_max_in_flight, 5U);
}

TEST_F(HandedState, HasNoLevelOfALogThatIsOff) {
  std::size_t without = 0, with = 0;
  taken([&](const std::string& bytes) { without = bytes.size(); });
  auto config = std::make_shared<config::Config>();
  config->log.error = "off";
  auto active = std::make_shared<services::ActiveConfig>();
  active->config = std::move(config);
  before.operators.use(std::move(active));
  taken([&](const std::string& bytes) { with = bytes.size(); });
  EXPECT_EQ(with, without) << "the next process would take it for a level that an operator chose";
}

TEST_F(HandedState, LeavesOutCountersWhoseHashesMeanNothingHere) {
  const auto out = taken([](std::string&) {}, false);
  EXPECT_EQ(out.counters, 0U);
  EXPECT_THAT(out.left_out, Contains(Key("counters")));
  EXPECT_EQ(out.suspensions, 1U) << "they have their keys as text";
}

TEST_F(HandedState, LeavesOutWhatIsBeyondItsBoundAndSaysSo) {
  most = 20'000;
  const auto out = taken([](std::string&) {});
  EXPECT_EQ(out.suspensions, 1U) << "what an operator did comes first";
  EXPECT_LT(out.counters, 3000U);
  EXPECT_THAT(out.left_out, Contains(Key("some counters")));
}

TEST_F(HandedState, LeavesOutASectionOfAnotherVersionAndReadsTheRest) {
  const auto out = taken([](std::string& bytes) {
    const auto at = bytes.find("suspensions");
    ASSERT_NE(at, std::string::npos);
    bytes[at + std::string("suspensions").size()] = 9;  // its version
  });
  EXPECT_THAT(out.left_out, Contains(Key("suspensions")));
  EXPECT_EQ(out.suspensions, 0U);
  EXPECT_EQ(out.counters, 3000U);
}

TEST_F(HandedState, ReadsASectionThatItDoesNotKnow) {
  const auto out = taken([](std::string& bytes) {
    StateWriter section;
    section.text("weather");
    section.number(std::uint16_t{1});
    section.number(std::uint64_t{4});
    section.raw("rain");
    bytes.insert(kStateMagic.size(), section.bytes());
  });
  EXPECT_THAT(out.left_out, Contains(Key("weather")));
  EXPECT_EQ(out.counters, 3000U);
}

TEST_F(HandedState, SurvivesEachCut) {
  std::string whole;
  (void)taken([&](std::string& bytes) { whole = bytes; });
  for (std::size_t size = 0; size < whole.size(); size += size < 300 ? 1 : 997) {
    OneProcess other;
    const int file = ::memfd_create("test", 0);
    ASSERT_EQ(::write(file, whole.data(), size), static_cast<ssize_t>(size));
    const auto out = read_state(file, other.parts(logs), true);
    ::close(file);
    EXPECT_THAT(out.left_out, Contains(Key("the rest"))) << size;
  }
}

TEST_F(HandedState, SurvivesEachWrongByte) {
  std::string whole;
  (void)taken([&](std::string& bytes) { whole = bytes; });
  for (std::size_t at = 0; at < whole.size(); at += at < 600 ? 1 : 1009) {
    auto wrong = whole;
    wrong[at] = static_cast<char>(wrong[at] ^ 0xff);
    OneProcess other;
    const int file = ::memfd_create("test", 0);
    ASSERT_EQ(::write(file, wrong.data(), wrong.size()), static_cast<ssize_t>(wrong.size()));
    (void)read_state(file, other.parts(logs), true);
    EXPECT_LE(other.memory.keys(), 3000U);
    ::close(file);
  }
}

}  // namespace
}  // namespace headgate::server
