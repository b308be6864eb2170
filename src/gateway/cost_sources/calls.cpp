// The number of calls in a batch.

#include "gateway/bodies/body_values.hpp"

#include "headgate/gateway/bodies/body_plan.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/exchange.hpp"

#include <algorithm>

namespace headgate::gateway::cost_source {

extern const CostSource calls;
const CostSource calls{
    .word = "calls",
    .example = R"("json-rpc")",
    .doc = "Number of calls in a batch of `json-rpc`: the elements of a list, or 1",
    .takes = CostTakes::text,
    .body = ReadsBody::request,
    .needs_otherwise = true,
    .fault = [](std::string_view name) { return std::string(name == "json-rpc" ? "" : R"(write "json-rpc")"); },
    .plan = [](Cost& /*cost*/, BodyPlan& bodies) { bodies.reads_request = bodies.refuses_tunnels = true; },
    .meaning =
        [](const Cost& cost) {
          return "costs 1 for each call of its batch, at most " + std::to_string(cost.most) + ", else " +
                 std::to_string(cost.default_value);
        },
    .told =
        [](const Exchange& x, const Cost& cost) {
          if (!x.bodies || x.bodies->request_state() != BodyState::read || !x.bodies->is_json()) return CostReading{};
          const auto most = static_cast<std::uint64_t>(cost.most);
          const auto elements = std::clamp<std::uint64_t>(x.bodies->request().elements(), 1, most);
          return CostReading{.cost = static_cast<std::int64_t>(elements)};
        }};

}  // namespace headgate::gateway::cost_source
