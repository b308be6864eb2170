#include "server/process.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>

namespace headgate::server {
namespace {

[[noreturn]] void hang_with(EndAtLatest& end, Duration after) {
  end.begin(std::chrono::hours(1));
  end.begin(after);
  end.begin(std::chrono::hours(2));
  std::promise<void>().get_future().wait();
  std::abort();
}

TEST(EndAtLatest, EndsAProcessThatHangsAtTheEarliestMoment) {
  EXPECT_EXIT(
      {
        EndAtLatest end;
        hang_with(end, std::chrono::milliseconds(1));
      },
      testing::ExitedWithCode(1), "");
}

TEST(EndAtLatest, DoesNothingToAProcessThatEndsInTime) {
  EndAtLatest end;
  end.begin(std::chrono::hours(1));
}

}  // namespace
}  // namespace headgate::server
