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
  EXPECT_THAT(other->take(), HasSubstr("\"number\":1}\n\n"));
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

TEST(EventFeed, LeavesOutWhatIsForDebugging) {
  EventFeed feed;
  const auto reader = feed.open();
  reader->take();
  observe::event(observe::LogLevel::debug, "detail", "");
  EXPECT_EQ(reader->take(), "");
}

}  // namespace
}  // namespace headgate::admin
