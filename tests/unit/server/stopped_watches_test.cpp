// What the main loop watches ends when it is stopped, also when its timer has expired already: the loop, and with it
// the process, must end.

#include "../../../src/server/watch/file_watch.hpp"
#include "../../../src/server/watch/server_watch.hpp"

#include <boost/asio/post.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace headgate::server {
namespace {

using namespace std::chrono_literals;

/// Stops `watch` in the turn of the loop in which its timer, which has expired, is about to be told.
template <class Watch>
bool ends_when_stopped(boost::asio::io_context& loop, Watch& watch) {
  boost::asio::post(loop, [&] { watch.stop(); });
  loop.run_for(2s);
  return loop.stopped();
}

TEST(StoppedWatch, OfServersLeavesNothingOnTheLoop) {
  boost::asio::io_context loop;
  observe::Registry registry;
  ServerWatch watch(loop, registry);
  ActiveConfig active;
  active.config = std::make_shared<const config::Config>();
  watch.use(std::make_shared<const ActiveConfig>(active));
  watch.start();
  std::this_thread::sleep_for(300ms);  // its pace is a quarter of a second
  EXPECT_TRUE(ends_when_stopped(loop, watch));
}

TEST(StoppedWatch, OfFilesLeavesNothingOnTheLoop) {
  boost::asio::io_context loop;
  FileWatch watch(loop, {"/nowhere/headgate.json"}, [] {});
  watch.start();
  std::this_thread::sleep_for(600ms);  // its pace is half a second
  EXPECT_TRUE(ends_when_stopped(loop, watch));
}

}  // namespace
}  // namespace headgate::server
