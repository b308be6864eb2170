#include "gateway/bodies/body_values.hpp"

#include "headgate/gateway/bodies/body_plan.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/exchange.hpp"

#include <algorithm>

namespace headgate::gateway::cost_source {
namespace {

constexpr std::string_view kRequest = "request";
constexpr std::string_view kAnswer = "answer";
constexpr std::string_view kBoth = "both";

}  // namespace

extern const CostSource bytes;
const CostSource bytes{
    .word = "bytes",
    .example = R"("answer")",
    .doc =
        "Bytes of the body of the `request`, of the `answer`, or of `both`. `hold` is reserved before the request and "
        "corrected when the exchange has ended",
    .known = CostKnown::at_end,
    .takes = CostTakes::text,
    .body = ReadsBody::answer,
    .fault =
        [](std::string_view name) {
          return name == kRequest || name == kAnswer || name == kBoth
                     ? std::string()
                     : std::string(R"(write "request", "answer" or "both")");
        },
    .plan = [](Cost&, BodyPlan& bodies) { bodies.reads_answer = true; },
    .meaning =
        [](const Cost& cost) {
          return "holds " + hold_in_words(cost) + ", then costs one for each byte of " +
                 (cost.name == kBoth ? "both bodies" : "the " + cost.name + "'s body");
        },
    .told =
        [](const Exchange& x, const Cost& cost) {
          std::uint64_t sum = 0;
          if (cost.name != kAnswer) sum += x.body_bytes;
          if (cost.name != kRequest && x.bodies) sum += x.bodies->answer_bytes();
          return CostReading{.cost = static_cast<std::int64_t>(std::min(sum, static_cast<std::uint64_t>(cost.most)))};
        }};

}  // namespace headgate::gateway::cost_source
