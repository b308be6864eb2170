#include "headgate/admin/connection_calls.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace headgate::admin {
namespace {

/// The main thread with workers that do not turn by themselves.
struct ConnectionCallsTest : testing::Test {
  using Found = ConnectionCalls::Found;

  bool ask() {
    return calls.ask({.what = session::ConnectionCall::What::requests, .most = 1},
                     [this](const Found& all) { found = all; });
  }

  boost::asio::io_context main_loop;
  boost::asio::io_context worker;
  session::Totals totals;
  OperatorBoard operators{main_loop};
  ConnectionCalls calls{operators, main_loop, totals, std::chrono::milliseconds(1)};
  std::optional<Found> found;
};

TEST_F(ConnectionCallsTest, SayThatAWorkerDidNotAnswer) {
  totals.neighbours.push_back({&worker, nullptr});
  ASSERT_TRUE(ask());
  main_loop.run();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->workers, 1U);
  EXPECT_EQ(found->parts.size(), 0U);
  worker.run();  // too late: it would look at its connections, and there are none to look at
}

TEST_F(ConnectionCallsTest, AreAnsweredAtOnceWithoutWorkers) {
  ASSERT_TRUE(ask());
  main_loop.run();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->workers, 0U);
}

TEST_F(ConnectionCallsTest, AreBoundedInNumber) {
  totals.neighbours.push_back({&worker, nullptr});
  int taken = 0;
  while (ask() && taken < 100) ++taken;
  EXPECT_EQ(taken, 8);
  main_loop.run();
  main_loop.restart();
  EXPECT_TRUE(ask()) << "those before have ended";
  main_loop.run();
}

TEST_F(ConnectionCallsTest, AreRefusedOnceTheMainThreadEnds) {
  operators.close();
  EXPECT_FALSE(ask());
  main_loop.run();
  EXPECT_FALSE(found);
}

}  // namespace
}  // namespace headgate::admin
