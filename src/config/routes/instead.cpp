// The upstream for requests that a limit rejects, or an open circuit refuses.

#include "config/build.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/each_per.hpp"
#include "headgate/gateway/key_source.hpp"

#include <algorithm>
#include <vector>

namespace headgate::config {
namespace {

constexpr Shape kInsteadUpstream = text("an upstream's name");
constexpr Shape kInsteadModel = text("a model", check_not_empty);
constexpr Key kOnRejectKeys[] = {
    {"to", &kInsteadUpstream, "", R"("lite")",
     "Upstream for requests that a limit rejects, and for all requests while the circuit of the route's upstream is "
     "open",
     into<&gateway::RouteOptions::to_instead>, required},
    {"model", &kInsteadModel, "", R"("small-model")",
     "Model that the body of such a request names at `/model` instead of its own. Default: the body stays unchanged",
     into<&gateway::RouteOptions::model_instead>},
};
constexpr Section kOnReject{"on_reject", "routes[].on_reject",
                            "Another upstream in place of 429, or of 503 for an open circuit; see "
                            "[routes.md](routes.md#another-upstream-for-rejected-requests).",
                            kOnRejectKeys};

bool hands_out_appointments(const Build& build, const gateway::LimitUse& use) {
  const int at = limit_index(build, use.limit);
  return at >= 0 && build.config.limits[static_cast<std::size_t>(at)].appointments.has_value();
}

bool reads_a_body(const Build& build, const gateway::LimitUse& use) {
  const auto& cost = use.cost;
  bool reads = reads_request_body(cost) || (cost.from != nullptr && cost.from->of_api);
  if (const int at = limit_index(build, use.limit); at >= 0)
    gateway::each_per(build.config.limits[static_cast<std::size_t>(at)],
                      [&](const limit::Per& per) { reads = reads || per.source->needs == gateway::Needs::body; });
  return reads;
}

/// Reports a model that cannot be written into the bodies of the route's requests.
void check_model(Build& build, const gateway::RouteOptions& route, const Node& model) {
  std::vector<const gateway::LimitUse*> used;
  for (const auto& each : route.limits) used.push_back(&each);
  for (const auto& each : build.config.gateway.all_routes.limits)
    if (std::ranges::find(route.skip_limits, each.limit) == route.skip_limits.end()) used.push_back(&each);
  const auto of_gemini = [](const gateway::LimitUse* use) {
    return use->cost.from != nullptr && use->cost.from->of_api && use->cost.name == "gemini";
  };
  if (std::ranges::any_of(used, of_gemini))
    build.report.error(code::kConflict, model, "calls of Gemini name their model in the path, not in the body",
                       "remove \"model\"");
  else if (std::ranges::none_of(used, [&](const auto* use) { return reads_a_body(build, *use); }))
    build.report.error(code::kConflict, model,
                       "no limit of this route reads the body of a request, so its model cannot be changed",
                       R"(let a limit read it, for example with "cost": { "usage": "openai" }, or remove "model")");
}

}  // namespace

constexpr Shape kOnRejectShape = section(kOnReject);

void build_on_reject(const Node& node, gateway::RouteOptions& out) {
  if (const Node* written = find(&node, "on_reject"); written != nullptr && written->kind == Kind::object)
    fill(written, kOnReject, out);
}

void check_on_reject(Build& build, const gateway::RouteOptions& route, const Node& node) {
  const Node* written = find(&node, "on_reject");
  const Node* to = text_at(written, "to");
  if (to == nullptr) return;
  auto& report = build.report;
  if (route.respond)
    return report.warning_at_key(code::kNoEffect, *written,
                                 "\"on_reject\" has no effect: this route answers without an upstream", "remove it");
  const auto known = build.upstream_numbers.find(to->text);
  if (known == build.upstream_numbers.end()) return;  // an unknown upstream is reported with the other targets
  const Node* model = text_at(written, "model");
  if (model != nullptr) check_model(build, route, *model);
  const auto own = upstreams_of(build, route);
  if (model == nullptr && std::any_of(own.begin(), own.end(), [&](const auto* each) { return each->name == to->text; }))
    return report.error(code::kConflict, *to, "requests of this route go to " + in_quotes(to->written) + " already",
                        R"(name another upstream, or a "model")");
  const auto& options = build.config.gateway;
  const auto appoints = [&](const gateway::LimitUse& use) { return hands_out_appointments(build, use); };
  if (std::any_of(route.limits.begin(), route.limits.end(), appoints) ||
      std::any_of(options.all_routes.limits.begin(), options.all_routes.limits.end(), appoints))
    report.error_at_key(code::kConflict, *written,
                        "a limit of this route hands out appointments, so rejected requests are told when to come back",
                        "remove \"on_reject\" here, or \"appointments\" there");
  const auto& other = build.config.upstreams[known->second];
  if (other.concurrency && other.concurrency->in_flight > 0)
    report.error(
        code::kConflict, *to,
        "upstream " + in_quotes(to->written) +
            " counts requests for all gateways (\"in_flight\"), and a rejected request cannot be counted there",
        R"(bound it by each server's "max_in_flight", or by "concurrency": {})");
  else if (!other.concurrency && !other.server_queue)
    report.warning(code::kConflict, *to,
                   "nothing bounds the number of requests to upstream " + in_quotes(to->written) +
                       ": all requests that the limits of this route reject go there",
                   R"(add "concurrency": {} to it, or "max_in_flight" to its servers)");
}

}  // namespace headgate::config
