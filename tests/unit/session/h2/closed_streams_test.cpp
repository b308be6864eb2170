#include "session/h2/frame_rules.hpp"

#include <gtest/gtest.h>

namespace headgate::session {
namespace {

using By = H2ClosedStreams::By;
using Late = H2ClosedStreams::Late;
using std::chrono::seconds;

constexpr Clock::Steady kNow{std::chrono::hours(1)};

TEST(H2ClosedStreams, MakeLateFramesWhatTheirEndSays) {
  H2ClosedStreams closed;
  closed.closed(1, By::end, kNow);
  closed.closed(3, By::client, kNow);
  EXPECT_EQ(closed.late_frame(1, kNow), Late::connection_error);
  EXPECT_EQ(closed.late_frame(3, kNow), Late::stream_error);
}

TEST(H2ClosedStreams, IgnoreWhatWasOnItsWayWhenWeClosedThemForAWhile) {
  H2ClosedStreams closed;
  closed.closed(1, By::us, kNow);
  EXPECT_EQ(closed.late_frame(1, kNow + seconds(4)), Late::ignored);
  EXPECT_EQ(closed.late_frame(1, kNow + seconds(5)), Late::stream_error);
}

TEST(H2ClosedStreams, EndNoConnectionForAStreamThatIsForgotten) {
  H2ClosedStreams closed;
  for (int id = 1; id < 100; id += 2) closed.closed(id, By::end, {});
  EXPECT_EQ(closed.late_frame(1, kNow), Late::stream_error);
  EXPECT_EQ(closed.late_frame(99, kNow), Late::connection_error);
  for (int id = 101; id < 200; id += 2) closed.closed(id, By::us, kNow);
  EXPECT_EQ(closed.late_frame(101, kNow + seconds(4)), Late::ignored) << "many were reset at once";
  EXPECT_EQ(closed.late_frame(101, kNow + seconds(5)), Late::stream_error);
}

}  // namespace
}  // namespace headgate::session
