// A number in a descriptor, in calls of Envoy's rate limit service.

#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/descriptors/rate_limit_call.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway::cost_source {

extern const CostSource descriptor;
const CostSource descriptor{.word = "descriptor",
                            .example = R"("tokens")",
                            .doc =
                                "Value of this key of a descriptor: the cost of each of its hits; see "
                                "[rate_limit_service.md](rate_limit_service.md)",
                            .takes = CostTakes::text,
                            .of_descriptor = true,
                            .fault =
                                [](std::string_view name) {
                                  const bool good = read_per("descriptor:" + std::string(name)).has_value();
                                  return std::string(good ? "" : "write the key of a descriptor, with 1 to 128 bytes");
                                },
                            .meaning =
                                [](const Cost& cost) {
                                  return "each hit costs what descriptor " + cost.name + " says, at most " +
                                         std::to_string(cost.most) + ", else " + std::to_string(cost.default_value);
                                },
                            .told =
                                [](const Exchange& x, const Cost& cost) {
                                  const auto* const value =
                                      x.rate_limit == nullptr ? nullptr : x.rate_limit->value(cost.name);
                                  return value == nullptr ? CostReading{} : cost_in(*value, cost.most);
                                }};

}  // namespace headgate::gateway::cost_source
