// Billed use on its way to the ledger: collected from the workers, kept while Redis is away, reported as lost when the
// process ends without it.

#include "headgate/services/billing_service.hpp"

#include "in_force.hpp"
#include "support/virtual_clock.hpp"

#include "headgate/core/moment_text.hpp"
#include "headgate/limit/calendar.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <coroutine>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace headgate::services {
namespace {

using namespace std::chrono_literals;
using headgate::test::VirtualClock;

/// Where a coroutine waits until the test goes on with it.
struct Held {
  std::coroutine_handle<> waiting;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> whose) { waiting = whose; }
  void await_resume() const noexcept {}
};

struct Books {
  bool away = false;
  bool stopped = false;
  limit::Use all;
  Held reading;
  std::size_t wanted = 0;  ///< fields, by the last read
};

class ScriptedLedger final : public limit::Ledger {
 public:
  explicit ScriptedLedger(Books& books) : books_(books) {}
  Task<Result<limit::Use>> add(const limit::LedgerBatch& batch, Duration) override {
    if (books_.away)
      co_return Result<limit::Use>(boost::system::in_place_error, make_error_code(boost::system::errc::timed_out));
    for (const auto& [field, use] : batch.uses) books_.all += use;
    co_return Result<limit::Use>(boost::system::in_place_value, limit::Use());
  }
  Task<Result<std::vector<limit::LedgerBucket>>> read(limit::Day, unsigned bucket, std::size_t most) override {
    books_.wanted = most;
    std::vector<limit::LedgerBucket> read{{.number = bucket, .uses = {{"plan k", {1, 1}}}},
                                          {.number = limit::kBuckets - 1, .uses = {}}};
    co_await books_.reading;
    co_return Result<std::vector<limit::LedgerBucket>>(boost::system::in_place_value, std::move(read));
  }
  void stop() override { books_.stopped = true; }

 private:
  Books& books_;
};

class BillingServices : public testing::Test {
 protected:
  BillingServices() {
    auto config = std::make_shared<config::Config>();
    config->redis.emplace();
    config->billing = config::Billing{.days = days};
    auto& limit = config->limits.emplace_back();
    limit.name = "plan";
    limit.bill = true;
    service->collect_from([this](const auto& each, const auto& done) {
      each(sheet.take());
      done();
    });
    service->adopt(in_force(config));
    service->start();
  }
  void use(int cost) { sheet.add(days, clock.wall(), "plan", "k", cost); }
  /// What a report tells, and what Redis takes while it is read.
  std::string told(const std::function<void(const BillingService::Tell&)>& ask,
                   const std::function<void()>& meanwhile) {
    std::string out;
    ask([&](const BillingService::Answer& answer) { out = answer.has_value() ? *answer : "refused"; });
    clock.advance(Duration(0));
    meanwhile();
    std::exchange(books.reading.waiting, nullptr).resume();
    return out;
  }
  std::string told(const std::function<void(const BillingService::Tell&)>& ask) {
    return told(ask, [] {});
  }
  std::string told_while_use_arrives(const std::function<void(const BillingService::Tell&)>& ask) {
    books.away = true;
    sheet.add(days, clock.wall() - 24h, "plan", "k", 1);
    clock.advance(1s);
    return told(ask, [&] {
      books.away = false;
      clock.advance(1s);
      EXPECT_EQ(service->counts()->waiting, 0U);
    });
  }

  VirtualClock clock;
  Books books;
  std::shared_ptr<const limit::Calendar> days =
      std::make_shared<const limit::Calendar>(limit::Calendar::Unit::day, "UTC", std::vector<limit::ZoneOffset>());
  limit::UseSheet sheet;
  std::shared_ptr<BillingService> service = std::make_shared<BillingService>(
      clock, [this](const config::Config&) { return std::make_shared<ScriptedLedger>(books); });
};

TEST_F(BillingServices, BringWhatTheWorkersCountedToTheLedgerOnceASecond) {
  use(3);
  clock.advance(1s);
  EXPECT_EQ(books.all, (limit::Use{3, 1}));
  use(4);
  clock.advance(1s);
  EXPECT_EQ(books.all, (limit::Use{7, 2}));
  EXPECT_EQ(service->counts()->waiting, 0U);
}

TEST_F(BillingServices, KeepWhatTheLedgerDoesNotTakeAndSaySinceWhen) {
  books.away = true;
  use(3);
  clock.advance(1s);
  clock.advance(30s);
  ASSERT_TRUE(service->counts());
  EXPECT_EQ(service->counts()->waiting, 1U);
  EXPECT_GE(service->counts()->behind, 29s);
  books.away = false;
  clock.advance(1s);
  EXPECT_EQ(books.all, (limit::Use{3, 1}));
  EXPECT_EQ(service->counts()->waiting, 0U);
}

TEST_F(BillingServices, TryOnceMoreAtTheEndForABoundedTime) {
  books.away = true;
  use(3);
  service->add(sheet.take());
  service->stop();
  EXPECT_FALSE(books.stopped);
  clock.advance(BillingService::kLastAttempt + 1s);
  EXPECT_TRUE(books.stopped);
  EXPECT_EQ(service->counts()->lost, (limit::Use{3, 1}));
  EXPECT_EQ(clock.armed(), 0U);
}

TEST_F(BillingServices, EndAtOnceIfTheLastUseArrives) {
  use(3);
  service->add(sheet.take());
  service->stop();
  EXPECT_TRUE(books.stopped);
  EXPECT_EQ(books.all, (limit::Use{3, 1}));
  EXPECT_EQ(clock.armed(), 0U);
}

TEST_F(BillingServices, CallNoDayCompleteWhoseLastUseCameWhileItWasRead) {
  const auto yesterday = day_text(days->date_of(clock.wall() - 24h));
  const auto page = [&](const BillingService::Tell& tell) {
    service->ask({.day = yesterday, .limit = {}, .cursor = {}, .count = 10}, tell);
  };
  const auto history = [&](const BillingService::Tell& tell) {
    service->ask_history({.counters = {{"plan", "k", "k"}}, .from = yesterday, .to = yesterday}, tell);
  };
  const auto of_day = [](const std::string& told) {
    return nlohmann::json::parse(told).at("limits").at(0).at("days").at(0).at("complete").get<bool>();
  };
  EXPECT_EQ(nlohmann::json::parse(told_while_use_arrives(page)).at("complete"), false);
  EXPECT_FALSE(of_day(told_while_use_arrives(history)));
  EXPECT_EQ(nlohmann::json::parse(told(page)).at("complete"), true);
  EXPECT_TRUE(of_day(told(history)));
  EXPECT_EQ(books.wanted, 0U) << "the bucket of the key, and none behind it";
}

TEST_F(BillingServices, DropQuestionsThatComeAfterTheEnd) {
  int answers = 0;
  service->ask_days([&](const BillingService::Answer& answer) { answers += answer.has_value() ? 1 : 0; });
  clock.advance(Duration(0));
  EXPECT_EQ(answers, 1);
  service->ask({.day = "no day", .limit = {}, .cursor = {}, .count = 1}, [&](const BillingService::Answer& answer) {
    ASSERT_TRUE(answer.has_error());
    EXPECT_EQ(answer.error().status, 400U);
    ++answers;
  });
  clock.advance(Duration(0));
  EXPECT_EQ(answers, 2);
  service->stop();
  service->ask_days([&](const auto&) { ADD_FAILURE() << "nothing is served any more"; });
  clock.advance(5s);
}

}  // namespace
}  // namespace headgate::services
