// The queues of those who follow the events.

#include "headgate/admin/event_feed.hpp"

#include "headgate/observe/event.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headgate::admin {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

void report(int number) { observe::event(observe::LogLevel::info, "counted", "", {{"number", number}}); }

TEST(EventFeed, GivesEachReaderEveryEvent) {
  EventFeed feed;
  const auto one = feed.open();
  const auto other = feed.open();
  report(1);
  EXPECT_THAT(one->take(), HasSubstr("id: 1\nevent: counted\ndata: {"));
  EXPECT_EQ(one->take(), "");
  EXPECT_THAT(other->take(), HasSubstr("\"number\":1,\"sentence\":"));
}

TEST(EventFeed, DropsTheOldestOfASlowReaderAndSaysHowMany) {
  EventFeed feed;
  const auto slow = feed.open();
  slow->take();
  for (int i = 0; i < static_cast<int>(EventFeed::kQueue) + 7; ++i) report(i);
  const auto text = slow->take();
  EXPECT_THAT(text, StartsWith("event: lost\ndata: {\"event\":\"lost\",\"count\":7}\n\nid: 8\n"));
  report(1000);
  EXPECT_THAT(slow->take(), StartsWith("id: ")) << "told once";
}

TEST(EventFeed, HasFewReadersAndRoomForOneWhenOneLeaves) {
  EventFeed feed;
  std::vector<std::unique_ptr<AdminStream>> readers;
  for (std::size_t i = 0; i < EventFeed::kReaders; ++i) readers.push_back(feed.open());
  EXPECT_EQ(feed.open(), nullptr);
  readers.pop_back();
  EXPECT_NE(feed.open(), nullptr);
}

TEST(EventFeed, WakesItsReadersForAnEventAndForTheEnd) {
  EventFeed feed;
  const auto reader = feed.open();
  int woken = 0;
  reader->on_more([&] { ++woken; });
  report(1);
  EXPECT_EQ(woken, 1);
  EXPECT_FALSE(reader->ended());
  feed.close();
  EXPECT_EQ(woken, 2);
  EXPECT_TRUE(reader->ended());
  EXPECT_EQ(feed.open(), nullptr);
}

TEST(EventFeed, GivesThoseBehindANumberAndSaysHowManyAreNotKept) {
  EventFeed feed;
  EXPECT_EQ(feed.behind(0).number, 0U);
  EXPECT_TRUE(feed.behind(7).events.empty());
  for (int i = 1; i <= static_cast<int>(EventFeed::kKept) + 5; ++i) report(i);
  const auto all = feed.behind(0);
  EXPECT_EQ(all.number, EventFeed::kKept + 5);
  EXPECT_EQ(all.missed, 5U);
  ASSERT_EQ(all.events.size(), EventFeed::kKept);
  EXPECT_THAT(all.events.front(), HasSubstr("\"number\":6,"));
  const auto last = feed.behind(EventFeed::kKept + 3);
  EXPECT_EQ(last.missed, 0U);
  ASSERT_EQ(last.events.size(), 2U);
  EXPECT_THAT(last.events.back(), HasSubstr("\"number\":105,"));
  EXPECT_TRUE(feed.behind(all.number).events.empty());
  EXPECT_EQ(feed.behind(all.number + 1).events.size(), EventFeed::kKept) << "the number of a process before";
}

TEST(EventFeed, LeavesOutWhatIsForDebugging) {
  EventFeed feed;
  const auto reader = feed.open();
  reader->take();
  observe::event(observe::LogLevel::debug, "detail", "");
  EXPECT_EQ(reader->take(), "");
}

}  // namespace
}  // namespace headgate::admin
