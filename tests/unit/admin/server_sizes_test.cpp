// Weights and bounds that an operator gives servers at run time.

#include "headgate/admin/server_sizes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headgate::admin {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

ServerSizes::Upstreams app(std::uint32_t weight, std::uint32_t most) {
  gateway::UpstreamOptions options;
  options.name = "app";
  options.servers.resize(2);
  options.servers[0].text = "a:80";
  options.servers[0].weight = weight;
  options.servers[0].max_in_flight = most;
  options.servers[1].text = "b:80";
  return {options};
}

const upstream::ServerOptions& first(const ServerSizes& sizes, ServerSizes::Upstreams upstreams) {
  static ServerSizes::Upstreams applied;
  sizes.apply(upstreams);
  applied = std::move(upstreams);
  return applied[0].servers[0];
}

TEST(ServerSizes, ReplaceWhatTheConfigurationSaysOfOneServer) {
  ServerSizes sizes;
  sizes.set(app(1, 10), "app", "a:80", {.weight = 5, .max_in_flight = {}});
  sizes.set(first(sizes, app(1, 10)).weight == 5 ? app(5, 10) : app(1, 10), "app", "a:80",
            {.weight = {}, .max_in_flight = 50});
  EXPECT_EQ(first(sizes, app(1, 10)).weight, 5U);
  EXPECT_EQ(first(sizes, app(1, 10)).max_in_flight, 50U);
  EXPECT_TRUE(sizes.has("app", "a:80"));
  EXPECT_FALSE(sizes.has("app", "b:80"));
  sizes.set(app(5, 50), "app", "a:80", {.weight = 0, .max_in_flight = 0});
  EXPECT_EQ(first(sizes, app(5, 50)).weight, 1U) << "as the configuration says";
  EXPECT_EQ(first(sizes, app(5, 50)).max_in_flight, 10U);
  EXPECT_FALSE(sizes.has("app", "a:80"));
}

TEST(ServerSizes, BoundOnlyServersThatTheConfigurationBounds) {
  ServerSizes sizes;
  sizes.set(app(1, 0), "app", "a:80", {.weight = {}, .max_in_flight = 50});
  EXPECT_EQ(first(sizes, app(1, 0)).max_in_flight, 0U);
}

TEST(ServerSizes, LastOverReloadsThatDoNotChangeTheServer) {
  ServerSizes sizes;
  sizes.set(app(1, 10), "app", "a:80", {.weight = 5, .max_in_flight = {}});
  auto more = app(1, 10);
  more[0].servers.pop_back();
  EXPECT_THAT(sizes.keep(more), IsEmpty()) << "another server left";
  EXPECT_TRUE(sizes.has("app", "a:80"));
  EXPECT_THAT(sizes.keep(app(2, 10)), ElementsAre(Pair("app", "a:80"))) << "the operator of the file wins";
  EXPECT_FALSE(sizes.has("app", "a:80"));
  EXPECT_EQ(first(sizes, app(2, 10)).weight, 2U);
}

TEST(ServerSizes, EndWithTheServer) {
  ServerSizes sizes;
  sizes.set(app(1, 10), "app", "a:80", {.weight = 5, .max_in_flight = {}});
  EXPECT_THAT(sizes.keep({}), ElementsAre(Pair("app", "a:80")));
  sizes.set(app(1, 10), "app", "c:80", {.weight = 5, .max_in_flight = {}});
  EXPECT_FALSE(sizes.has("app", "c:80")) << "there is no such server";
}

TEST(ServerSizes, AreTakenOverByAnotherProcessUnlessItsFileSaysSomethingElse) {
  ServerSizes before;
  before.set(app(1, 10), "app", "a:80", {.weight = 5, .max_in_flight = 20});
  const auto handed = before.list();
  ASSERT_EQ(handed.size(), 1U);
  ServerSizes after;
  EXPECT_EQ(after.restore(app(1, 10), handed[0]), "");
  EXPECT_EQ(first(after, app(1, 10)).weight, 5U);
  EXPECT_EQ(first(after, app(1, 10)).max_in_flight, 20U);
  EXPECT_THAT(after.keep(app(1, 11)), ElementsAre(Pair("app", "a:80"))) << "a reload ends it as in the first process";
  ServerSizes other;
  EXPECT_EQ(other.restore(app(2, 10), handed[0]), "the configuration of this server changed");
  EXPECT_EQ(other.restore({}, handed[0]), "the configuration has no such server");
  auto damaged = handed[0];
  damaged.weight = 4'000'000'000;
  EXPECT_EQ(other.restore(app(1, 10), damaged), "it cannot be read");
  EXPECT_TRUE(other.empty());
}

}  // namespace
}  // namespace headgate::admin
