// When servers are checked, on a clock that is a variable and with checks that end when the test says so.

#include "headgate/upstream/health_checks.hpp"

#include "support/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <list>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace headgate::upstream::test {
namespace {

using balance::Health;
using headgate::test::VirtualClock;
using std::chrono::milliseconds;
using std::chrono::seconds;

class Checks : public testing::Test {
 protected:
  struct Open {
    std::string server;
    HealthDone done;
    Duration since;
  };
  struct Scripted final : HealthCheck {
    Scripted(std::list<Open>& of, std::list<Open>::iterator at) : open(of), here(at) {}
    Scripted(const Scripted&) = delete;
    Scripted& operator=(const Scripted&) = delete;
    ~Scripted() override { open.erase(here); }
    std::list<Open>& open;
    std::list<Open>::iterator here;
  };

  std::unique_ptr<HealthCheck> begin(const HealthTarget& target, HealthDone done) {
    for (const auto& one : open) EXPECT_NE(one.server, target.server.text) << "two checks of one server at once";
    began[target.server.text].push_back(clock.passed());
    open.push_back({target.server.text, std::move(done), clock.passed()});
    EXPECT_LE(open.size(), HealthChecks::kAtOnce);
    return std::make_unique<Scripted>(open, std::prev(open.end()));
  }
  void tell(const HealthReport& report) {
    if (report.change == Health::Change::none) return;
    changes.push_back(report.target.server.text + (report.change == Health::Change::up ? " up" : " down"));
    why = report.why;
    checked = report.checks;
  }

  static std::vector<HealthTarget> targets(std::size_t count, const HealthOptions& options = {}) {
    std::vector<HealthTarget> out;
    for (std::size_t i = 0; i < count; ++i)
      out.push_back({.upstream = "app",
                     .server = {"127.0.0.1", static_cast<std::uint16_t>(9000 + i), "s" + std::to_string(i)},
                     .options = options,
                     .tls = nullptr});
    return out;
  }
  /// Ends the check of a server that is under way.
  bool end(const std::string& server, const std::string& with = {}) {
    for (auto& one : open) {
      if (one.server != server) continue;
      const auto done = std::move(one.done);
      done(with);
      return true;
    }
    return false;
  }
  /// Lets time pass; each check ends at once, `with` this for all servers.
  void run(Duration time, const std::string& with = {}) {
    for (Duration passed{0}; passed < time; passed += milliseconds(10)) {
      clock.advance(milliseconds(10));
      while (!open.empty()) end(std::string(open.front().server), with);
    }
  }

  VirtualClock clock;
  std::list<Open> open;
  std::map<std::string, std::vector<Duration>> began;
  std::vector<std::string> changes;
  std::string why;
  std::uint32_t checked = 0;
  HealthChecks checks{clock,
                      [this](const HealthTarget& target, HealthDone done) { return begin(target, std::move(done)); },
                      [this](const HealthReport& report) { tell(report); }, 1};
};

TEST_F(Checks, EndForAPausedServerAndBeginAtOnceWhenItResumes) {
  checks.use(targets(2));
  clock.advance(seconds(1));
  ASSERT_EQ(open.size(), 2U);
  checks.pause("app", "s0", true);
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open.front().server, "s1");
  run(seconds(60));
  EXPECT_EQ(began["s0"].size(), 1U);
  EXPECT_GT(began["s1"].size(), 2U);
  auto other = targets(2);
  other[0].options.every = seconds(2);
  checks.use(other);
  run(seconds(60));
  EXPECT_EQ(began["s0"].size(), 1U) << "over a reload";
  checks.pause("app", "s0", false);
  clock.advance(milliseconds(10));
  EXPECT_EQ(began["s0"].size(), 2U);
  EXPECT_TRUE(changes.empty()) << "it counts as before";
}

TEST_F(Checks, BeginWithinASecondAndSpread) {
  checks.use(targets(4));
  clock.advance(Duration(0));
  EXPECT_EQ(open.size(), 1U) << "not all at the same moment";
  clock.advance(seconds(1));
  EXPECT_EQ(open.size(), 4U);
}

TEST_F(Checks, TakeAServerOutThatIsAwayAtTheStartAfterOne) {
  checks.use(targets(1));
  run(milliseconds(20), "no connection can be opened: Connection refused");
  EXPECT_EQ(changes, (std::vector<std::string>{"s0 down"}));
  EXPECT_EQ(why, "no connection can be opened: Connection refused");
  EXPECT_EQ(checked, 1U);
  EXPECT_FALSE(checks.up("app", "s0"));
}

TEST_F(Checks, TakeAServerOutAfterThreeFailuresAndBackAfterTwoPasses) {
  checks.use(targets(1));
  run(seconds(1));
  EXPECT_TRUE(changes.empty());
  run(seconds(11), "it answered 500");
  EXPECT_TRUE(changes.empty()) << "two failures are not enough";
  run(seconds(6), "it answered 500");
  EXPECT_EQ(changes, (std::vector<std::string>{"s0 down"}));
  EXPECT_EQ(checked, 3U);
  run(seconds(12));
  EXPECT_EQ(changes, (std::vector<std::string>{"s0 down", "s0 up"}));
}

TEST_F(Checks, OfOneServerNeverOverlap) {
  checks.use(targets(1, {.every = seconds(1), .timeout = seconds(5)}));
  clock.advance(milliseconds(10));
  ASSERT_EQ(open.size(), 1U);
  clock.advance(seconds(4));
  EXPECT_EQ(open.size(), 1U);
  EXPECT_EQ(began["s0"].size(), 1U);
  EXPECT_TRUE(end("s0", "not done within 5s"));
  clock.advance(milliseconds(1));
  EXPECT_EQ(began["s0"].size(), 2U) << "the next one was due long ago";
}

TEST_F(Checks, AreBoundedInNumber) {
  checks.use(targets(100));
  clock.advance(seconds(3));
  EXPECT_EQ(open.size(), HealthChecks::kAtOnce);
  std::size_t ended = 0;
  while (!open.empty() && ended < 100) {
    end(std::string(open.front().server));
    ++ended;
  }
  EXPECT_EQ(ended, 100U) << "the others had their turn when one ended";
}

TEST_F(Checks, KeepWhatIsKnownOfAServerOverAReload) {
  checks.use(targets(2));
  run(seconds(1));
  run(seconds(18), "away");
  ASSERT_EQ(changes.size(), 2U);
  checks.use(targets(3));
  EXPECT_FALSE(checks.up("app", "s0"));
  EXPECT_TRUE(checks.up("app", "s2")) << "up until known to be down";
  EXPECT_EQ(changes.size(), 2U);
  auto other = targets(3, {.path = "/ready"});
  checks.use(other);
  EXPECT_FALSE(checks.up("app", "s0")) << "also if it is checked otherwise";
  run(seconds(8));
  EXPECT_TRUE(checks.up("app", "s0"));
}

TEST_F(Checks, GoOnOverAReloadThatChangesNothing) {
  checks.use(targets(1));
  clock.advance(milliseconds(10));
  ASSERT_EQ(open.size(), 1U);
  checks.use(targets(1));
  EXPECT_EQ(open.size(), 1U) << "the check under way goes on";
  EXPECT_TRUE(end("s0"));
  clock.advance(milliseconds(4400));
  EXPECT_EQ(began["s0"].size(), 1U);
}

TEST_F(Checks, EndWhenTheyAreOthersAfterAReload) {
  checks.use(targets(1));
  clock.advance(milliseconds(10));
  ASSERT_EQ(open.size(), 1U);
  checks.use(targets(1, {.path = "/other"}));
  EXPECT_TRUE(open.empty()) << "its result would be about the checks before";
  clock.advance(milliseconds(10));
  EXPECT_EQ(open.size(), 1U);
}

TEST_F(Checks, TellThatAServerIsUpThatIsCheckedNoMore) {
  checks.use(targets(1));
  run(milliseconds(20), "away");
  checks.use({});
  EXPECT_EQ(changes, (std::vector<std::string>{"s0 down", "s0 up"}));
  EXPECT_TRUE(checks.up("app", "s0"));
}

TEST_F(Checks, EndAllWhenStopped) {
  checks.use(targets(50));
  clock.advance(seconds(1));
  EXPECT_FALSE(open.empty());
  checks.stop();
  EXPECT_TRUE(open.empty());
  clock.advance(seconds(20));
  EXPECT_TRUE(open.empty());
}

TEST_F(Checks, AreMadeOnceForAServerThatIsListedTwice) {
  auto twice = targets(1);
  twice.push_back(twice.front());
  checks.use(twice);
  run(seconds(1));
  EXPECT_EQ(began["s0"].size(), 1U);
}

/// Random servers, results, durations and reloads: begin() checks that checks never overlap and are bounded.
TEST_F(Checks, KeepTheirPromisesOnRandomHistories) {
  std::mt19937 random(7);
  const HealthOptions options{.every = milliseconds(400), .timeout = seconds(1)};
  for (int i = 0; i < 20'000; ++i) {
    clock.advance(milliseconds(random() % 20));
    if (i % 500 == 0) checks.use(targets(1 + random() % 80, options));
    for (auto ends = random() % 4; ends > 0 && !open.empty(); --ends)
      end(std::string(std::next(open.begin(), static_cast<long>(random() % open.size()))->server),
          random() % 2 == 0 ? "" : "no");
  }
  const auto& first = began["s0"];
  ASSERT_GT(first.size(), 20U);
  for (std::size_t i = 1; i < first.size(); ++i) EXPECT_GE(first[i] - first[i - 1], Duration(0));
}

TEST_F(Checks, ComeAboutAsOftenAsTheyShould) {
  checks.use(targets(1, {.every = seconds(2)}));
  run(seconds(200));
  const auto& times = began["s0"];
  EXPECT_NEAR(static_cast<double>(times.size()), 100, 4);
  bool vary = false;
  for (std::size_t i = 1; i < times.size(); ++i) {
    EXPECT_GE(times[i] - times[i - 1], milliseconds(1790));
    EXPECT_LE(times[i] - times[i - 1], milliseconds(2220));
    vary = vary || times[i] - times[i - 1] != times[1] - times[0];
  }
  EXPECT_TRUE(vary);
}

}  // namespace
}  // namespace headgate::upstream::test
