// The spans of a process: sent once the configuration names a collector, and counted from then on.

#include "headgate/services/trace_service.hpp"

#include "in_force.hpp"
#include "support/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace headgate::services {
namespace {

using headgate::test::VirtualClock;

TEST(TraceServices, CountNothingBeforeThereIsACollectorAndEndWithTheLoop) {
  VirtualClock clock;
  boost::asio::io_context loop;
  observe::SpanQueue queue;
  observe::Registry registry;
  TraceService service(loop, clock, queue, registry);
  auto config = std::make_shared<config::Config>();
  service.adopt(in_force(config));
  EXPECT_EQ(registry.text().find("headgate_trace_spans_total{"), std::string::npos);
  auto traced = std::make_shared<config::Config>();
  traced->traces.emplace();
  service.adopt(in_force(traced));
  service.adopt(in_force(config));
  EXPECT_NE(registry.text().find("headgate_trace_spans_total{"), std::string::npos) << "what waits is still sent";
  EXPECT_EQ(service.lost(), 0U);
  service.stop();
  service.stop();
  clock.advance(std::chrono::seconds(3));
  EXPECT_EQ(clock.armed(), 0U);
}

}  // namespace
}  // namespace headgate::services
