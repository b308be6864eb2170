// Notices on their way to the webhook: once each, over all gateways, and not lost.

#include "headgate/services/quota_service.hpp"

#include "../../../src/services/notice_json.hpp"
#include "in_force.hpp"
#include "support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headgate::services {
namespace {

using namespace std::chrono_literals;
using headgate::test::kStart;
using headgate::test::VirtualClock;
using notify::Fate;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// The marks of Redis, in memory: shared by the services of a test.
struct SharedMarks {
  struct Mark {
    std::string value;
    Instant until;
  };
  VirtualClock& clock;
  std::map<std::string, Mark> marks;
  bool away = false;
};

class ScriptedMarks final : public limit::NoticeMarks {
 public:
  ScriptedMarks(std::shared_ptr<SharedMarks> shared, std::string name)
      : shared_(std::move(shared)), name_(std::move(name)) {}

  Task<Result<Answer>> take(std::string id, Duration length) override {
    if (shared_->away) co_return Result<Answer>(boost::system::in_place_error, failed());
    auto& mark = shared_->marks[id];
    if (mark.until > shared_->clock.wall() && mark.value == "told") co_return Answer::told;
    if (mark.until > shared_->clock.wall() && mark.value != name_) co_return Answer::others;
    mark = {name_, shared_->clock.wall() + length};
    co_return Answer::ours;
  }
  Task<error_code> hold(std::string id, Duration length) override { co_return set(id, name_, length); }
  Task<error_code> told(std::string id, Duration length) override { co_return set(id, "told", length); }
  void stop() override { stopped = true; }

  bool stopped = false;

 private:
  static error_code failed() { return make_error_code(boost::system::errc::timed_out); }
  error_code set(const std::string& id, const std::string& value, Duration length) {
    if (shared_->away) return failed();
    shared_->marks[id] = {value, shared_->clock.wall() + length};
    return {};
  }

  std::shared_ptr<SharedMarks> shared_;
  std::string name_;
};

/// One gateway: its service, and the webhooks that it sent.
struct OneGateway {
  struct Sent {
    std::string id;
    nlohmann::json body;
    std::function<void(Fate)> ended;
  };

  OneGateway(VirtualClock& on, const std::shared_ptr<SharedMarks>& shared, const std::string& name) : clock(on) {
    service = std::make_shared<QuotaService>(
        clock,
        [this, shared, name](const config::Config&) { return marks = std::make_shared<ScriptedMarks>(shared, name); },
        [this](std::string id, const std::string& body, std::function<void(Fate)> ended) {
          sent.push_back({std::move(id), nlohmann::json::parse(body), std::move(ended)});
          return has_webhook;
        });
    auto config = std::make_shared<config::Config>();
    config->instance = name;
    config->redis.emplace();
    auto& limit = config->limits.emplace_back();
    limit.name = "plan";
    limit.store = limit::Store::redis;
    limit.notify_at = {80, 100};
    service->adopt(in_force(std::move(config)));
  }
  void notice(limit::Notice notice) {
    service->inbox().put(std::move(notice));
    clock.advance(Duration(0));
  }
  std::vector<unsigned> percents() const {
    std::vector<unsigned> out;
    for (const auto& one : sent) out.push_back(one.body.at("data").at("percent").get<unsigned>());
    return out;
  }

  VirtualClock& clock;
  std::shared_ptr<ScriptedMarks> marks;
  std::shared_ptr<QuotaService> service;
  std::vector<Sent> sent;
  bool has_webhook = true;
};

class Quotas : public testing::Test {
 protected:
  Quotas() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("silent")); }
  ~Quotas() override { spdlog::set_default_logger(usual_logger); }

  limit::Notice of(std::string key, unsigned percent = 80, limit::Store store = limit::Store::redis) const {
    const Instant since = clock.wall() - clock.wall().time_since_epoch() % 1h;
    return {.limit = "plan",
            .rate = "1000/hour",
            .key = std::move(key),
            .owner = {},
            .tier = {},
            .percent = percent,
            .used = percent * 10,
            .size = 1000,
            .since = since,
            .until = since + 1h,
            .store = store};
  }
  static limit::Notice with_another(limit::Notice notice, void (*change)(limit::Notice&)) {
    change(notice);
    return notice;
  }

  std::shared_ptr<spdlog::logger> usual_logger = spdlog::default_logger();
  VirtualClock clock;
  std::shared_ptr<SharedMarks> redis = std::make_shared<SharedMarks>(SharedMarks{.clock = clock, .marks = {}});
  OneGateway one{clock, redis, "one"};
  OneGateway two{clock, redis, "two"};
};

TEST_F(Quotas, AreToldOnceByTheFirstGatewayThatSeesThem) {
  one.notice(of("alice"));
  two.notice(of("alice"));
  one.notice(of("alice"));
  ASSERT_THAT(one.percents(), ElementsAre(80U));
  one.sent[0].ended(Fate::delivered);
  for (int i = 0; i < 20; ++i) {
    clock.advance(1min);
    one.notice(of("alice"));
    two.notice(of("alice"));
  }
  EXPECT_THAT(one.sent, SizeIs(1));
  EXPECT_THAT(two.sent, IsEmpty());
  two.notice(of("alice", 100));
  EXPECT_THAT(two.percents(), ElementsAre(100U));
  two.notice(of("bob"));
  EXPECT_THAT(two.percents(), ElementsAre(100U, 80U));
}

TEST_F(Quotas, AreToldAgainInTheNextPeriod) {
  one.notice(of("alice"));
  one.sent[0].ended(Fate::delivered);
  clock.advance(1h);
  two.notice(of("alice"));
  ASSERT_THAT(two.sent, SizeIs(1));
  EXPECT_NE(two.sent[0].id, one.sent[0].id);
}

TEST_F(Quotas, AreToldByAnotherGatewayIfTheFirstDiesBeforeTheDelivery) {
  one.notice(of("alice"));
  ASSERT_THAT(one.sent, SizeIs(1));
  one.service.reset();  // nothing renews its mark
  int seconds = 0;
  for (; two.sent.empty() && seconds < 60; ++seconds) {
    two.notice(of("alice"));
    clock.advance(1s);
  }
  ASSERT_THAT(two.sent, SizeIs(1));
  EXPECT_GE(seconds, 15);
  EXPECT_LE(seconds, 21);
  EXPECT_EQ(two.sent[0].id, one.sent[0].id) << "so that the receiver recognises it";
}

TEST_F(Quotas, AreNotToldByAnotherGatewayWhileTheFirstStillTries) {
  one.notice(of("alice"));
  for (int i = 0; i < 120; ++i) {
    two.notice(of("alice"));
    clock.advance(10s);
  }
  EXPECT_THAT(two.sent, IsEmpty());
}

TEST_F(Quotas, RestAfterTheLastAttemptAndAreThenToldAgain) {
  one.notice(of("alice"));
  one.sent[0].ended(Fate::given_up);
  for (int i = 0; i < 9; ++i) {
    clock.advance(1min);
    one.notice(of("alice"));
    two.notice(of("alice"));
  }
  EXPECT_THAT(one.sent, SizeIs(1));
  EXPECT_THAT(two.sent, IsEmpty());
  clock.advance(1min);
  two.notice(of("alice"));
  EXPECT_THAT(two.sent, SizeIs(1));
}

TEST_F(Quotas, AreNotToldAgainIfTheReceiverRefusedThem) {
  one.notice(of("alice"));
  one.sent[0].ended(Fate::refused);
  for (int i = 0; i < 30; ++i) {
    clock.advance(1min);
    two.notice(of("alice"));
  }
  EXPECT_THAT(two.sent, IsEmpty());
}

TEST_F(Quotas, AreToldByTheNextRequestIfTheQueueDroppedThem) {
  one.notice(of("alice"));
  one.sent[0].ended(Fate::dropped);
  EXPECT_EQ(one.service->counts().dropped, 1U);
  one.notice(of("alice"));
  EXPECT_THAT(one.sent, SizeIs(2)) << "its own mark does not hold it up";
}

TEST_F(Quotas, AreToldFromHereWhileRedisIsDownWithOneIdEverywhere) {
  redis->away = true;
  one.notice(of("alice"));
  two.notice(of("alice"));
  ASSERT_THAT(one.sent, SizeIs(1));
  ASSERT_THAT(two.sent, SizeIs(1));
  EXPECT_EQ(one.sent[0].id, two.sent[0].id);
  one.notice(of("alice"));
  EXPECT_THAT(one.sent, SizeIs(1)) << "once on each gateway";
}

TEST_F(Quotas, AreMarkedAsToldWhenRedisIsBack) {
  redis->away = true;
  one.notice(of("alice"));
  one.sent[0].ended(Fate::delivered);
  clock.advance(1min);
  EXPECT_THAT(redis->marks, IsEmpty());
  redis->away = false;
  clock.advance(5s);
  two.notice(of("alice"));
  EXPECT_THAT(two.sent, IsEmpty());
}

TEST_F(Quotas, OfALimitInMemoryAreToldByEachGatewayWithAnIdOfItsOwn) {
  one.notice(of("alice", 80, limit::Store::memory));
  two.notice(of("alice", 80, limit::Store::memory));
  one.notice(of("alice", 80, limit::Store::memory));
  ASSERT_THAT(one.sent, SizeIs(1));
  ASSERT_THAT(two.sent, SizeIs(1));
  EXPECT_NE(one.sent[0].id, two.sent[0].id);
  EXPECT_THAT(redis->marks, IsEmpty());
}

TEST_F(Quotas, HaveAnIdOfAllThatNamesThem) {
  const auto notice = of("alice");
  const auto id = [](const limit::Notice& which) { return notice_id(which, "one"); };
  EXPECT_THAT(id(notice), testing::MatchesRegex("quota_[0-9a-f]+"));
  EXPECT_THAT(id(notice), SizeIs(38));
  std::set<std::string> ids{id(notice)};
  ids.insert(id(with_another(notice, [](auto& other) { other.limit = "other"; })));
  ids.insert(id(with_another(notice, [](auto& other) { other.rate = "2000/hour"; })));
  ids.insert(id(with_another(notice, [](auto& other) { other.key = "bob"; })));
  ids.insert(id(with_another(notice, [](auto& other) { other.percent = 100; })));
  ids.insert(id(with_another(notice, [](auto& other) { other.since += 1h; })));
  EXPECT_THAT(ids, SizeIs(6));
  EXPECT_EQ(id(with_another(notice, [](auto& other) { other.used = 999; })), id(notice));
  EXPECT_EQ(notice_id(notice, "two"), id(notice)) << "gateways that share Redis";
}

TEST_F(Quotas, AreWrittenAsTheDocumentsSay) {
  auto notice = of("team-\xff");
  notice.owner = "acme";
  notice.tier = "pro";
  notice.rejected = true;
  const auto body = nlohmann::json::parse(notice_body(notice, "edge-1", kStart));
  EXPECT_EQ(body.at("type"), "quota.reached");
  EXPECT_EQ(body.at("timestamp"), "2026-11-21T05:20:24Z");
  const auto& data = body.at("data");
  EXPECT_EQ(data.at("limit"), "plan");
  EXPECT_EQ(data.at("rate"), "1000/hour");
  EXPECT_EQ(data.at("key"), "team-\xef\xbf\xbd") << "not UTF-8";
  EXPECT_EQ(data.at("owner"), "acme");
  EXPECT_EQ(data.at("tier"), "pro");
  EXPECT_EQ(data.at("percent"), 80);
  EXPECT_EQ(data.at("used"), 800);
  EXPECT_EQ(data.at("size"), 1000);
  EXPECT_EQ(data.at("since"), "2026-11-21T05:00:00Z");
  EXPECT_EQ(data.at("until"), "2026-11-21T06:00:00Z");
  EXPECT_EQ(data.at("rejected"), true);
  EXPECT_EQ(data.at("observed"), false);
  EXPECT_EQ(data.at("instance"), "edge-1");
  EXPECT_FALSE(nlohmann::json::parse(notice_body(of("a"), "edge-1", kStart)).at("data").contains("owner"));
}

TEST_F(Quotas, AreBoundedInAFloodAndComeWithTheNextRequests) {
  constexpr std::size_t kKeys = 3000;
  const auto flood = [&] {
    for (std::size_t i = 0; i < kKeys; ++i) one.notice(of("key-" + std::to_string(i)));
  };
  flood();
  EXPECT_THAT(one.sent, SizeIs(QuotaService::kMaxUnderWay));
  EXPECT_EQ(one.service->counts().dropped, kKeys - QuotaService::kMaxUnderWay);
  std::set<std::string> ids;
  for (std::size_t round = 0; round < kKeys / QuotaService::kMaxUnderWay; ++round) {
    while (ids.size() < one.sent.size()) {
      const auto& next = one.sent[ids.size()];
      next.ended(Fate::delivered);
      ASSERT_TRUE(ids.insert(next.id).second) << "none comes twice";
    }
    flood();
  }
  EXPECT_EQ(ids.size(), kKeys);
}

TEST_F(Quotas, AreCountedByLimitAndPercentage) {
  one.notice(of("alice"));
  one.notice(of("bob"));
  one.notice(of("bob", 100));
  const auto counts = one.service->counts();
  EXPECT_EQ(counts.told.at({"plan", 80}), 2U);
  EXPECT_EQ(counts.told.at({"plan", 100}), 1U);
  EXPECT_EQ(counts.dropped, 0U);
}

TEST_F(Quotas, ThatWaitAtTheEndAreSentWithoutAskingAndThenItEnds) {
  one.service->inbox().put(of("alice"));
  one.service->stop();
  ASSERT_THAT(one.sent, SizeIs(1));
  EXPECT_THAT(redis->marks, IsEmpty());
  EXPECT_FALSE(one.marks->stopped) << "what is delivered is still marked";
  one.sent[0].ended(Fate::delivered);
  EXPECT_TRUE(one.marks->stopped);
  EXPECT_EQ(redis->marks.begin()->second.value, "told");
  two.service->stop();
  EXPECT_TRUE(two.marks->stopped) << "at once";
}

TEST_F(Quotas, OfAConfigurationWithoutAWebhookAreForgotten) {
  one.has_webhook = false;
  one.notice(of("alice"));
  one.has_webhook = true;
  one.notice(of("alice"));
  EXPECT_THAT(one.sent, SizeIs(2));
}

}  // namespace
}  // namespace headgate::services
