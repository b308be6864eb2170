// No request is let through uncounted: not even under more rules than one can be, which the checker refuses to load.

#include "support/rules.hpp"

#include "headgate/gateway/gateway.hpp"
#include "headgate/gateway/meters.hpp"

#include <boost/smart_ptr/make_local_shared.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace headgate::gateway {
namespace {

/// Takes down what the caller is told.
struct Reply final : http::ReplyWriter {
  Task<Result<void>> interim(const http::ReplyStart&) override { co_return Result<void>(); }
  Task<Result<void>> send(const http::ReplyStart& start, std::string_view first, http::Last) override {
    status = start.status;
    body = first;
    co_return Result<void>();
  }
  Task<Result<void>> write(std::string_view, http::Last) override { co_return Result<void>(); }
  Task<Result<void>> finish(const http::Fields&) override { co_return Result<void>(); }
  void tunnel(Duration) override {}
  bool started() const noexcept override { return status != 0; }
  std::uint64_t bytes_sent() const noexcept override { return body.size(); }

  unsigned status = 0;
  std::string body;
};

struct NoBody final : http::BodyReader {
  bool take_at_most(std::uint64_t) noexcept override { return true; }
  Result<std::string_view> ready() override { return std::string_view(); }
  Task<Result<std::string_view>> read() override { co_return std::string_view(); }
  bool ended() const noexcept override { return true; }
  void cancel() noexcept override {}
  const http::Fields& trailers() const noexcept override { return none; }

  http::Fields none;
};

/// A site with a route under `limits` limits of eight rates each, as no checked configuration has more than four.
std::shared_ptr<const Site> site_under(int limits) {
  Options options;
  RouteOptions route;
  route.name = route.path = "/*";
  route.respond = Respond{};
  std::vector<limit::Limit> all;
  for (int i = 0; i < limits; ++i) {
    limit::Limit limit;
    limit.name = "l" + std::to_string(i);
    limit.per = {{limit::Per::Kind::total, ""}};
    auto& tier = limit.tiers.emplace_back();
    for (int period = 1; period <= 8; ++period) {
      tier.rules.push_back(test::make_rule("5/" + std::to_string(period) + "h", 0, limit.name));
      limit::name_rule(tier.rules.back(), true, limit::PeriodInKey::yes);
    }
    LimitUse use;
    use.limit = limit.name;
    route.limits.push_back(use);
    all.push_back(std::move(limit));
  }
  options.routes.push_back(route);
  return std::make_shared<const Site>(options, identity::Options{}, all, std::vector<std::string>{}, 1);
}

/// What a request is answered, and what it left in memory.
std::pair<unsigned, std::size_t> answered_under(int limits) {
  boost::asio::io_context loop;
  limit::MemoryStore memory({.max_keys = 1000});
  observe::AccessLog access_log;
  observe::Registry registry;
  auto snapshot = boost::make_local_shared<Snapshot>();
  snapshot->site = site_under(limits);
  snapshot->meters = std::make_shared<const Meters>(registry, 0, *snapshot->site);
  snapshot->grants = std::make_shared<const Grants>(
      *snapshot->site,
      std::make_shared<const identity::Credentials>(identity::Credentials{std::make_shared<identity::ApiKeys>(), {}}));
  Gateway gateway({loop, memory, access_log}, snapshot);
  NoBody body;
  Reply reply;
  Exchange x;
  x.body = &body;
  x.reply = &reply;
  x.request.method = "GET";
  x.request.path = "/";
  x.request.authority = "h.test";
  x.peer = boost::asio::ip::make_address("127.0.0.1");
  spawn(gateway.handle(x), "test");
  return {reply.status, memory.keys()};
}

TEST(TooManyRules, AreRefusedAndNothingIsTaken) {
  EXPECT_EQ(answered_under(4), (std::pair{200U, std::size_t{32}}));
  EXPECT_EQ(answered_under(5), (std::pair{500U, std::size_t{0}}));
}

}  // namespace
}  // namespace headgate::gateway
