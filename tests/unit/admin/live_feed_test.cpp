// One look for all dashboards, and what it may cost.

#include "headgate/admin/live_feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headgate::admin {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

class Looks : public testing::Test {
 protected:
  Looks() {
    std::vector<AdminEndpoint> endpoints;
    endpoints.push_back({.method = "GET", .path = "/now", .answer = [this](const AdminCall& call) {
                           ++made;
                           role = call.role;
                           return AdminAnswer{.body = "{\n  \"n\": " + std::to_string(made) + "\n}\n"};
                         }});
    endpoints.push_back({.method = "GET",
                         .path = "/later",
                         .answer_later = [this](const AdminCall&, const AdminEndpoint::Give& give) { later = give; }});
    endpoints.push_back({.method = "GET", .path = "/none", .answer = [](const AdminCall&) {
                           return AdminAnswer{.status = 404, .body = "There is none."};
                         }});
    feed.use({{"now", "/now"}, {"later", "/later"}, {"none", "/none"}}, std::move(endpoints), [] {
      return std::vector<std::string>{R"({"event":"a"})", R"({"event":"b"})"};
    });
  }

  int made = 0;
  AdminRole role = AdminRole::operator_;
  AdminEndpoint::Give later;
  LiveFeed feed;
};

TEST_F(Looks, HaveTheAnswersOfOtherCallsInOneLine) {
  const auto reader = feed.open();
  EXPECT_EQ(reader->take(), "");  // not all has been answered
  bool woken = false;
  reader->on_more([&] { woken = true; });
  std::exchange(later, nullptr)({.body = "{\n  \"a\": \"b  c\"\n}\n"});
  EXPECT_TRUE(woken);
  const auto look = reader->take();
  EXPECT_THAT(look, testing::StartsWith("event: look\ndata: {\"at\":"));
  EXPECT_THAT(look, HasSubstr(R"("now":{"n": 1},"later":{"a": "b  c"},"none":null)"));
  EXPECT_THAT(look, testing::EndsWith("\"events\":[{\"event\":\"a\"},{\"event\":\"b\"}]}\n\n"));
  EXPECT_EQ(role, AdminRole::reader);
}

TEST_F(Looks, AreMadeOnceForAllReaders) {
  const auto first = feed.open();
  const auto second = feed.open();
  EXPECT_EQ(first->take(), "");
  EXPECT_EQ(second->take(), "");
  std::exchange(later, nullptr)({.body = "{}"});
  EXPECT_EQ(first->take(), second->take());
  EXPECT_EQ(first->take(), "");  // the next one is not due
  EXPECT_EQ(made, 1);
}

TEST_F(Looks, ComeAlthoughAPartIsNeverAnswered) {
  const auto reader = feed.open();
  EXPECT_EQ(reader->take(), "");
  later = nullptr;
  EXPECT_THAT(reader->take(), HasSubstr("\"later\":null"));
}

TEST_F(Looks, HaveAtMostSoManyReadersAndNoneAfterTheEnd) {
  std::vector<std::unique_ptr<AdminStream>> readers;
  for (std::size_t i = 0; i < LiveFeed::kReaders; ++i) readers.push_back(feed.open());
  EXPECT_EQ(feed.open(), nullptr);
  readers.pop_back();
  EXPECT_NE(readers.emplace_back(feed.open()), nullptr);
  feed.close();
  EXPECT_TRUE(readers.front()->ended());
  readers.clear();
  EXPECT_EQ(feed.open(), nullptr);
}

TEST(PauseAfterALook, IsSoLongThatItCostsAHalfPercent) {
  EXPECT_EQ(pause_after(milliseconds(1), 10, 20'000), LiveFeed::kEvery);
  EXPECT_EQ(pause_after(milliseconds(20), 1, 0), milliseconds(4000));
  EXPECT_EQ(pause_after(milliseconds(20), 10, 1'000'000), milliseconds(6000));
  EXPECT_EQ(pause_after(milliseconds(5000), 1, 0), LiveFeed::kSeldom);
}

}  // namespace
}  // namespace headgate::admin
