#include "headgate/gateway/request_under_way.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace headgate::gateway {
namespace {

using namespace std::chrono_literals;

TEST(RequestUnderWay, IsOlderIfItBeganFirstEvenIfItsWorkerWasAskedEarlier) {
  const auto begun_at = [](std::uint64_t begun, Duration age) {
    RequestUnderWay out;
    out.name.begun = begun;
    out.age = age;
    return out;
  };
  const auto first = begun_at(1000, 50ms);
  const auto second = begun_at(1001, 70ms);  // its worker answered 20 ms later
  EXPECT_TRUE(began_before(first, second));
  EXPECT_FALSE(began_before(second, first));
  EXPECT_FALSE(began_before(first, first));
}

}  // namespace
}  // namespace headgate::gateway
