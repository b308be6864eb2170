#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/exchange.hpp"

namespace headgate::gateway::cost_source {

extern const CostSource response_header;
const CostSource response_header{
    .word = "response_header",
    .example = R"("X-Tokens-Used")",
    .doc = "Value of this answer field. `hold` is reserved before the request and corrected when the answer arrives",
    .known = CostKnown::after,
    .meaning =
        [](const Cost& cost) {
          return "holds " + std::to_string(cost.default_value) + ", then costs what the answer's " + cost.name +
                 " says";
        },
    .told =
        [](const Exchange& x, const Cost& cost) {
          return cost_in(http::value_of(x.answer.fields, std::string_view(cost.name)), cost.most);
        }};

}  // namespace headgate::gateway::cost_source
