// Many routes: finding one costs the same for one route as for 100,000, and loading them costs each the same.

#include "cost/spent.hpp"

#include "headgate/config/load.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/router.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace headgate::gateway {
namespace {

using test::spent_by;

constexpr std::size_t kMany = 100'000;

std::string number(std::size_t i) { return std::to_string(100'000 + i); }

struct RouteKind {
  std::string name;
  std::function<void(Router&, std::size_t, const Route&)> add;
  std::function<Router::Found(const Router&, std::size_t)> find;
};

std::vector<RouteKind> route_kinds() {
  const auto below = [](const char* name, std::string before, std::string after, std::string requested) {
    return RouteKind{name,
                     [=](Router& router, std::size_t i, const Route& route) {
                       router.add("", before + number(i) + after, {}, &route);
                     },
                     [=](const Router& router, std::size_t i) {
                       std::string path = requested;
                       path.replace(path.find('#'), 1, number(i));
                       return router.find("a.example", path, "GET");
                     }};
  };
  return {
      below("Exact", "/api/service-", "", "/api/service-#"),
      below("Prefix", "/api/service-", "/*", "/api/service-#/x/y"),
      below("Template", "/api/{tenant}/service-", "/{id}", "/api/acme/service-#/7"),
      {"Host",
       [](Router& router, std::size_t i, const Route& route) {
         router.add("t" + number(i) + ".example.com", "/*", {}, &route);
       },
       [](const Router& router, std::size_t i) { return router.find("T" + number(i) + ".example.com", "/x", "GET"); }},
      {"HostPattern",
       [](Router& router, std::size_t i, const Route& route) {
         router.add("*.t" + number(i) + ".example.com", "/*", {}, &route);
       },
       [](const Router& router, std::size_t i) {
         return router.find("a.t" + number(i) + ".example.com:80", "/x", "GET");
       }}};
}

TEST(ManyRoutes, AreFoundInAsManyStepsAsOne) {
  const Route route;
  for (const auto& kind : route_kinds()) {
    const auto steps = [&](std::size_t routes) {
      Router router;
      for (std::size_t i = 0; i < routes; ++i) kind.add(router, i, route);
      std::uint64_t total = 0;
      constexpr std::size_t kAsked = 1'000;
      for (std::size_t i = 0; i < kAsked; ++i) {
        const auto asked = i * routes / kAsked;
        bool found = false;
        total += spent_by([&] { found = kind.find(router, asked).route != nullptr; }).steps;
        EXPECT_TRUE(found) << kind.name << ' ' << asked;
      }
      return total;
    };
    EXPECT_LE(steps(kMany), steps(1) * 105 / 100) << kind.name;
  }
}

TEST(ManyRoutes, AHostilePathIsComparedWithNoMoreSegmentsThanThePatternsHave) {
  const Route route;
  Router router;
  for (std::size_t i = 0; i < 10'000; ++i) router.add("", "/api/{tenant}/service-" + number(i) + "/{id}", {}, &route);
  EXPECT_LE(router.longest_search(), 6U);
  std::string deep = "/api/acme/service-" + number(5);
  while (deep.size() < 8'000) deep += "/a";
  const auto short_path = spent_by([&] { EXPECT_EQ(router.find("h", "/api/acme/x/y", "GET").route, nullptr); });
  const auto long_path = spent_by([&] { EXPECT_EQ(router.find("h", deep, "GET").route, nullptr); });
  EXPECT_LT(long_path.steps, short_path.steps + 2'000) << "the path is not read beyond the patterns";
  const auto host = spent_by([&] { (void)router.find(std::string(8'000, '.'), "/", "GET"); });
  EXPECT_LT(host.steps, 2'000U);
}

/// Patterns that make each request try both branches at each segment.
TEST(ManyRoutes, KnowHowManySegmentsOneRequestCanBeComparedWith) {
  const Route route;
  Router router;
  for (unsigned bits = 0; bits < 64; ++bits) {
    std::string pattern;
    for (unsigned at = 0; at < 6; ++at) pattern += (bits >> at & 1U) != 0 ? "/{p" + std::to_string(at) + "}" : "/a";
    router.add("", pattern + "/z", {}, &route);
  }
  EXPECT_EQ(router.longest_search(), 127U + 64U);
}

std::string configuration(std::size_t routes) {
  std::string out = R"({ "listen": ":1", "limits": {)";
  const std::size_t names = routes / 10;
  for (std::size_t i = 0; i < names; ++i)
    out += (i == 0 ? "\"l" : ", \"l") + number(i) + R"(": { "rate": "9/second", "per": "client_ip" })";
  out += R"( }, "upstreams": { )";
  for (std::size_t i = 0; i < names; ++i)
    out += (i == 0 ? "\"u" : ", \"u") + number(i) + R"(": "http://127.0.0.1:3000")";
  out += R"( }, "routes": [)";
  for (std::size_t i = 0; i < routes; ++i) {
    out += (i == 0 ? "\n" : ",\n") + (R"({ "path": "/api/{tenant}/service-)" + number(i)) + R"(/*", "to": "u)" +
           number(i % names) + R"(", "limits": ["l)" + number(i % names) + R"("] })";
  }
  return out + "] }";
}

TEST(ManyRoutes, CostEachTheSameToLoadAndCompile) {
  const auto each = [](std::size_t routes) {
    const auto source = configuration(routes);
    auto spent = spent_by([&] {
      const auto loaded = config::load(source);
      ASSERT_TRUE(loaded.config) << config::render_text(loaded.diagnostics, "f", source).substr(0, 2'000);
      const CompiledConfig compiled(loaded.config->gateway, loaded.config->identity, loaded.config->limits,
                                    loaded.config->upstreams, 1);
      EXPECT_EQ(compiled.routes().size(), routes);
    });
    return test::Spent{spent.steps / routes, spent.allocations / routes, spent.bytes / routes};
  };
  const auto few = each(300);
  const auto many = each(3'000);
  EXPECT_LE(many.steps, few.steps * 5 / 4) << "of a route";
  EXPECT_LE(many.allocations, few.allocations * 5 / 4);
  EXPECT_LE(many.bytes, few.bytes * 5 / 4);
  EXPECT_LT(many.bytes, 64U * 1'024) << "allocated, most of it only for a moment";
}

}  // namespace
}  // namespace headgate::gateway
