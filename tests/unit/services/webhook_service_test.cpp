// The webhook of a process: there as long as the configuration has one, and counted from then on.

#include "headgate/services/webhook_service.hpp"

#include "in_force.hpp"
#include "support/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace headgate::services {
namespace {

using headgate::test::VirtualClock;

std::shared_ptr<const ActiveConfig> with_webhook(bool webhook) {
  auto config = std::make_shared<config::Config>();
  if (webhook) config->webhook.emplace();
  return in_force(config);
}

TEST(WebhookServices, TakeNothingWithoutAWebhook) {
  VirtualClock clock;
  boost::asio::io_context loop;
  WebhookService service(loop, clock);
  service.adopt(with_webhook(false));
  EXPECT_FALSE(service.on());
  EXPECT_FALSE(service.send("id", "{}"));
  EXPECT_FALSE(service.counts()) << "there never was one";
  service.stop();
}

TEST(WebhookServices, TakeNothingMoreOnceTheConfigurationHasNone) {
  VirtualClock clock;
  boost::asio::io_context loop;
  WebhookService service(loop, clock);
  service.adopt(with_webhook(true));
  EXPECT_TRUE(service.on());
  EXPECT_TRUE(service.counts());
  service.adopt(with_webhook(false));
  EXPECT_FALSE(service.on());
  EXPECT_FALSE(service.send("id", "{}"));
  EXPECT_TRUE(service.counts()) << "what was counted stays";
  service.stop();
  service.stop();
  service.adopt(with_webhook(true));
  EXPECT_FALSE(service.on()) << "it has ended";
}

}  // namespace
}  // namespace headgate::services
