#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/exchange.hpp"

namespace headgate::gateway::cost_source {

extern const CostSource header;
const CostSource header{
    .word = "header",
    .example = R"("X-Cost")",
    .doc = "Value of this request field",
    .callers_write = true,
    .meaning =
        [](const Cost& cost) {
          return "costs what " + cost.name + " says, at most " + std::to_string(cost.most) + ", else " +
                 std::to_string(cost.default_value);
        },
    .told =
        [](const Exchange& x, const Cost& cost) {
          // If there are trusted_proxies, only they may say a cost; otherwise every caller may.
          if (!x.caller.through_trusted && !x.snapshot->compiled->identity().trusted_proxies.empty())
            return CostReading{};
          return cost_in(http::value_of(x.request.fields, std::string_view(cost.name)), cost.most);
        }};

}  // namespace headgate::gateway::cost_source
