#pragma once
// A configuration of one route to one upstream, for simulations.

#include "support/per.hpp"
#include "support/rules.hpp"

#include "headgate/engine/simulation.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::test {

/// The route "/*" to the upstream "app", unless the test changes it.
struct Simulated {
  Simulated() {
    route.name = "things";
    route.path = "/*";
    route.to = "app";
    app.name = "app";
    app.servers = {{.host = "10.0.0.1", .text = "10.0.0.1:80"}};
  }

  /// Adds a limit to the route.
  limit::Limit& limit_by(std::string_view per, const std::string& name, std::string_view rate,
                         std::string_view algorithm = "token_bucket", limit::Store store = limit::Store::memory,
                         Duration wait = Duration(0)) {
    auto& limit = limits.emplace_back();
    limit.name = name;
    limit.per = {make_per(per)};
    limit.store = store;
    auto& rule = limit.tiers.emplace_back().rules.emplace_back(make_rule(rate, 0, name, algorithm, wait));
    limit::name_rule(rule, false, limit::PeriodInKey::no);
    route.limits.emplace_back().limit = name;
    return limit;
  }

  std::unique_ptr<engine::Simulation> start(std::uint64_t seed = 1, std::size_t max_keys = 1000) const {
    auto all = options;
    all.routes = {route};
    gateway::Snapshot parts;
    parts.compiled = std::make_shared<const gateway::CompiledConfig>(all, identity, limits, upstreams(), 1);
    identity::Credentials credentials{std::make_shared<const identity::ApiKeys>(identity.api_key.known), {}};
    parts.credentials = std::make_shared<const gateway::ActiveCredentials>(
        *parts.compiled, std::make_shared<const identity::Credentials>(std::move(credentials)));
    return std::make_unique<engine::Simulation>(
        std::move(parts), engine::Simulation::Setup{.start = kStart, .seed = seed, .max_keys = max_keys});
  }

  gateway::PathOptions options;
  gateway::RouteOptions route;
  identity::IdentityOptions identity;
  std::vector<limit::Limit> limits;
  gateway::UpstreamOptions app;
  std::vector<gateway::UpstreamOptions> others;  ///< other upstreams

 private:
  std::vector<gateway::UpstreamOptions> upstreams() const {
    auto out = others;
    out.insert(out.begin(), app);
    return out;
  }
};

/// Arrivals from a list.
class Listed final : public engine::Arrivals {
 public:
  explicit Listed(std::vector<engine::RequestArrival> all) : all_(std::move(all)) {}
  const engine::RequestArrival* next() override { return at_ == all_.size() ? nullptr : &all_[at_++]; }

 private:
  std::vector<engine::RequestArrival> all_;
  std::size_t at_ = 0;
};

}  // namespace headgate::test
