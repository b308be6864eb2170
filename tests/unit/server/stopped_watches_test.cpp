// What the main loop watches ends when it is stopped: the loop, and with it the process, must end.

#include "../../../src/server/watch/file_watch.hpp"
#include "../../../src/server/watch/server_watch.hpp"
#include "support/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace headgate::server {
namespace {

using namespace std::chrono_literals;
using headgate::test::VirtualClock;

/// After some of its looks.
void expect_to_end(VirtualClock& clock, services::Service& watch) {
  watch.start();
  clock.advance(3s);
  EXPECT_EQ(clock.armed(), 1U) << "it looks again and again";
  watch.stop();
  watch.stop();
  EXPECT_EQ(clock.armed(), 0U);
}

TEST(StoppedWatch, OfServersLeavesNothingOnTheLoop) {
  VirtualClock clock;
  observe::Registry registry;
  admin::AdminBoard board;
  const admin::ServerSizes sizes;
  ServerWatch watch(clock, registry, board, sizes);
  services::ActiveConfig active;
  active.config = std::make_shared<const config::Config>();
  watch.adopt(std::make_shared<const services::ActiveConfig>(active));
  expect_to_end(clock, watch);
}

TEST(StoppedWatch, OfFilesLeavesNothingOnTheLoop) {
  VirtualClock clock;
  FileWatch watch(clock, {"/nowhere/headgate.json"}, [] {});
  expect_to_end(clock, watch);
}

}  // namespace
}  // namespace headgate::server
