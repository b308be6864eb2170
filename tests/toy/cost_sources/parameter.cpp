// Reads the cost from a parameter of the query. A source of costs needs no file but this one. Only tests use it.

#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/http/named_values.hpp"

namespace headgate::gateway::cost_source {

extern const CostSource parameter;
const CostSource parameter{.word = "parameter",
                           .example = R"("units")",
                           .doc = "What this parameter of the query says",
                           .takes = CostTakes::text,
                           .meaning = [](const Cost& cost) { return "costs what ?" + cost.name + " says"; },
                           .told =
                               [](const Exchange& x, const Cost& cost) {
                                 return cost_in(http::query_parameter(x.request.query, cost.name).value, cost.most);
                               }};

}  // namespace headgate::gateway::cost_source
