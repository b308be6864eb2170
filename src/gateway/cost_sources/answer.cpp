#include "gateway/bodies/body_values.hpp"

#include "headgate/gateway/bodies/body_plan.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/exchange.hpp"

namespace headgate::gateway::cost_source {

extern const CostSource answer;
const CostSource answer{
    .word = "answer",
    .example = R"("/usage/total_tokens")",
    .doc =
        "Number at this pointer (RFC 6901) in the answer's body: JSON, or the last event of a stream that has it. "
        "`hold` is reserved before the request and corrected when the answer has ended",
    .known = CostKnown::at_end,
    .takes = CostTakes::text,
    .body = ReadsBody::answer,
    .fault = fault_of_pointer,
    .plan =
        [](Cost& cost, BodyPlan& bodies) {
          bodies.reads_answer = true;
          cost.at = bodies.answer.add(*scan::parse_pointer(cost.name), scan::Take::value);
        },
    .meaning =
        [](const Cost& cost) {
          return "holds " + hold_in_words(cost) + ", then costs the number at " + cost.name + " in the answer's body";
        },
    .told =
        [](const Exchange& x, const Cost& cost) {
          if (!x.bodies || x.bodies->answer_state() != BodyState::read) return CostReading{};
          const auto& found = x.bodies->answer().found(cost.at);
          if (found.kind == scan::Found::Kind::absent || found.kind == scan::Found::Kind::null) return CostReading{};
          const auto told = cost_in_body(found, cost.most);
          if (told) return CostReading{.cost = told};
          return CostReading{.unreadable =
                                 found.text.empty() ? std::string_view("a value of another type") : found.text};
        }};

}  // namespace headgate::gateway::cost_source
