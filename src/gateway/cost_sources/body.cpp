#include "gateway/bodies/body_values.hpp"

#include "headgate/gateway/bodies/body_plan.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/exchange.hpp"

namespace headgate::gateway::cost_source {

// A caller writes the body of its own request, so a number below 0 is no cost, and a value that two readers could see
// differently is none either: `otherwise` is then the cost.
extern const CostSource body;
const CostSource body{.word = "body",
                      .example = R"("/n")",
                      .doc = "Number at this pointer (RFC 6901) in the request's body: JSON or a form",
                      .takes = CostTakes::text,
                      .body = ReadsBody::request,
                      .fault = fault_of_pointer,
                      .plan =
                          [](Cost& cost, BodyPlan& bodies) {
                            bodies.reads_request = true;
                            cost.at = bodies.request.add(*scan::parse_pointer(cost.name), scan::Take::value);
                          },
                      .meaning =
                          [](const Cost& cost) {
                            return "costs the number at " + cost.name + " in the request's body, at most " +
                                   std::to_string(cost.most) + ", else " + std::to_string(cost.default_value);
                          },
                      .told =
                          [](const Exchange& x, const Cost& cost) {
                            const auto* const found = request_value(x, cost.at);
                            return found == nullptr ? CostReading{}
                                                    : CostReading{.cost = cost_in_body(*found, cost.most)};
                          }};

}  // namespace headgate::gateway::cost_source
