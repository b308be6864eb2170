// Advice on limits that count by a credential: callers can leave it out to escape the limit.

#include "config/advice/advice.hpp"
#include "config/values.hpp"

#include "headgate/gateway/key_source.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

using gateway::Needs;
using gateway::Require;

struct Credential {
  Needs needs;
  Require require;
  const char* noun;
  const char* word;
};
constexpr Credential kCredentials[] = {
    {Needs::token, Require::jwt, "token", "jwt"},
    {Needs::api_key, Require::api_key, "API key", "api_key"},
    {Needs::certificate, Require::mtls, "client certificate", "mtls"},
};

/// Returns a credential that callers of the route can leave out so that the limit does not count them; null if there is
/// none.
const Credential* skipped_without(const limit::Limit& limit, const gateway::RouteOptions& route) {
  if (limit.mode != limit::Mode::enforce || limit.if_absent.last != limit::IfAbsent::Last::skip) return nullptr;
  const Credential* out = nullptr;
  for (const auto& per : limit.per) {
    const auto* const found = std::ranges::find(kCredentials, per.source->needs, &Credential::needs);
    if (found != std::end(kCredentials) && found->require != route.require) out = found;
  }
  return out;
}

bool is_bounded(const Adviser& given, std::size_t route, std::size_t limit) {
  const auto& options = given.config().gateway.routes[route];
  return options.respond || !options.waiting_room.empty() || given.keeps_callers_apart(route, limit);
}

}  // namespace

void advise_uncounted_callers(Adviser& given) {
  const auto& config = given.config();
  std::vector<bool> told(config.limits.size());
  for (std::size_t i = 0; i < config.gateway.routes.size(); ++i) {
    for (const auto& use : given.plan(i)) {
      const auto& limit = config.limits[use.limit];
      const auto* const lacks = told[use.limit] ? nullptr : skipped_without(limit, config.gateway.routes[i]);
      if (lacks == nullptr || is_bounded(given, i, use.limit)) continue;
      told[use.limit] = true;
      given.say(*use.node,
                "a caller that sends no " + std::string(lacks->noun) + " has no limit of its own on " +
                    route_text(config.gateway.routes[i]) + ": " + in_quotes(limit.name) +
                    R"( skips it ("if_absent"), and no other limit keeps callers apart there)",
                R"(add "require": ")" + std::string(lacks->word) +
                    R"(" to the route, or write "if_absent": "client_ip" at the limit)");
    }
  }
}

}  // namespace headgate::config
