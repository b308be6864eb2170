// Finds out for each route why a request did or did not take it, by means of routers that have only one route.

#include "gateway/callers/find_client.hpp"

#include "headgate/core/per_enum.hpp"
#include "headgate/gateway/explain.hpp"
#include "headgate/http/h1/parse.hpp"

namespace headgate::gateway {
namespace {

using Why = ConsideredRoute::Why;

/// A router with only this route, which has some of the route's conditions.
struct Alone {
  std::string_view host;
  const std::vector<std::string>* methods;
  const RouteConditions* conditions;
};

Router::Found ask(const RouteOptions& options, const Route& route, const Alone& demands, const Router::Wanted& wanted) {
  Router router(route.letters);
  router.add(demands.host, options.path, *demands.methods, &route, route.letters, demands.conditions);
  return router.find(wanted);
}

Why why_not(const RouteOptions& options, const Route& route, const Router::Wanted& wanted) {
  static const std::vector<std::string> any_method;
  auto get = wanted;
  get.method = "GET";
  if (ask(options, route, {"", &any_method, nullptr}, get).route == nullptr) return Why::path;
  if (ask(options, route, {options.host, &any_method, nullptr}, get).route == nullptr) return Why::host;
  if (ask(options, route, {options.host, &options.methods, nullptr}, wanted).route == nullptr) return Why::method;
  const auto found = ask(options, route, {options.host, &options.methods, &options.conditions}, wanted);
  if (found.unclear) return Why::unclear;
  return found.route == nullptr ? Why::conditions : Why::less_specific;
}

}  // namespace

ConsideredRoutes considered_routes(const CompiledConfig& compiled, std::string_view head,
                                   const boost::asio::ip::address& peer, std::size_t most) {
  ConsideredRoutes out;
  Exchange asked;
  auto& request = asked.request;
  const auto& bounds = compiled.options().head_bounds;
  if (http::h1::parse_request(head, {bounds.fields, bounds.target_bytes}, request).has_error()) return out;
  asked.peer = peer;
  find_client(asked, compiled.identity());
  const Router::Wanted wanted{.authority = request.host,
                              .path = request.path,
                              .method = request.method,
                              .fields = &request.fields,
                              .query = request.query,
                              .client = &asked.caller.address};
  const auto& options = compiled.options().routes;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const auto& route = *compiled.routes()[i];
    if (route.options->descriptor) continue;
    const auto why = why_not(options[i], route, wanted);
    // Routes whose path does not match are listed only if there are few routes.
    if (out.routes.size() >= most || (why == Why::path && options.size() > most)) {
      ++out.others;
      continue;
    }
    out.routes.push_back({.number = i,
                          .name = route.name,
                          .host = options[i].host,
                          .path = options[i].path,
                          .methods = options[i].methods,
                          .why = why});
  }
  return out;
}

void choose(ConsideredRoutes& candidates, const Route* found) {
  for (auto& each : candidates.routes)
    if (found != nullptr && each.number == found->number) each.why = Why::chosen;
}

std::string_view to_text(ConsideredRoute::Why why) noexcept {
  static constexpr WordsUpTo<Why::less_specific> kWords(
      {"chosen", "path", "host", "method", "conditions", "unclear", "less_specific"});
  return kWords[why];
}

}  // namespace headgate::gateway
