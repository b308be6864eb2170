// The size of a GraphQL request.

#include "gateway/bodies/body_values.hpp"

#include "headgate/gateway/bodies/body_plan.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/exchange.hpp"

#include <algorithm>

namespace headgate::gateway::cost_source {
namespace {

constexpr std::string_view kFields = "fields";
constexpr std::string_view kDepth = "depth";
constexpr std::string_view kAliases = "aliases";

std::int64_t count_in(const graphql::Size& size, std::string_view what) noexcept {
  return what == kDepth ? size.depth : what == kAliases ? size.aliases : size.fields;
}

}  // namespace

extern const CostSource graphql;
const CostSource graphql{
    .word = "graphql",
    .example = R"("fields")",
    .doc =
        "Size of a GraphQL request: its `fields`, its `depth`, or its `aliases`. Fragments count where they are used, "
        "and each request of a batch counts. Without an operation name, the largest operation counts",
    .takes = CostTakes::text,
    .body = ReadsBody::request,
    .needs_otherwise = true,
    .fault =
        [](std::string_view name) {
          const bool known = name == kFields || name == kDepth || name == kAliases;
          return std::string(known ? "" : R"(write "fields", "depth" or "aliases")");
        },
    .plan = [](Cost& /*cost*/,
               BodyPlan& bodies) { bodies.reads_request = bodies.measures_graphql = bodies.refuses_tunnels = true; },
    .meaning =
        [](const Cost& cost) {
          return "costs the " + cost.name + " of its GraphQL request, at most " + std::to_string(cost.most) +
                 ", else " + std::to_string(cost.default_value);
        },
    .told =
        [](const Exchange& x, const Cost& cost) {
          const auto size = x.bodies ? x.bodies->graphql() : std::nullopt;
          return size ? CostReading{.cost = std::min(count_in(*size, cost.name), cost.most)} : CostReading{};
        }};

}  // namespace headgate::gateway::cost_source
