// The tokens that a language model reports, in the shape of its API.

#include "gateway/bodies/body_values.hpp"
#include "gateway/bodies/holds.hpp"
#include "gateway/bodies/pricing.hpp"
#include "gateway/limits/resolved_limit.hpp"

#include "headgate/gateway/bodies/body_plan.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/usage/provider.hpp"

#include <algorithm>

namespace headgate::gateway::cost_source {
namespace {

/// Raises the counts to those of the bytes that have passed. Returns whether that raised any.
bool add_counted(const Exchange& x, const Cost& cost, usage::Usage& usage) noexcept {
  const auto bytes = bytes_of_token(cost);
  const auto text = static_cast<std::int64_t>(usage::output_text_in(*x.bodies->plan().provider, x.bodies->answer()));
  const auto key = key_of_cost(x, cost);
  const auto input = input_of(x, cost, key, bytes);
  const auto output = tokens_of(x, cost, key, text, bytes);
  const bool more = input > usage.input || output > usage.output;
  usage.input = std::max(usage.input, input);
  usage.output = std::max(usage.output, output);
  usage.total = std::max(usage.total, usage.input + usage.output);
  return more;
}

/// A call that reports nothing costs what was counted as its text passed. A stream that was broken off costs the larger
/// of both, because what it has reported by then is not all: Anthropic's first event reports one token of output.
CostReading cost_of_usage(const Exchange& x, const Cost& cost) {
  if (!x.bodies || x.bodies->answer_state() != BodyState::read) return {};
  auto usage = usage::usage_in(*x.bodies->plan().provider, x.bodies->answer());
  constexpr unsigned kRefused = 400;
  if (usage.total < 0 && x.answer.status >= kRefused) return {};
  const bool broken_off = x.ended_by != EndedBy::upstream && !x.bodies->was_drained();
  const bool counted = (usage.total < 0 || broken_off) && add_counted(x, cost, usage);
  const auto amount = cost.priced ? money_of(x, cost, usage) : usage.total;
  if (!amount) return {};
  return {.cost = std::min(*amount, cost.most), .counted = counted};
}

std::int64_t cost_of_usage_so_far(const Exchange& x, const Cost& cost) noexcept {
  if (!x.bodies || x.bodies->answer_state() != BodyState::read) return 0;
  auto usage = usage::usage_in(*x.bodies->plan().provider, x.bodies->answer());
  add_counted(x, cost, usage);
  const auto amount = cost.priced ? money_of(x, cost, usage) : usage.total;
  return std::min(amount.value_or(0), cost.most);
}

}  // namespace

extern const CostSource usage;
const CostSource usage{
    .word = "usage",
    .example = R"("openai")",
    .doc =
        "Tokens that the answer or the stream of a language model reports, in the shape of this API: `anthropic`, "
        "`gemini`, `ollama`, `openai` (also vLLM) or `openai-responses`. If it reports none, they are counted from "
        "the text that passes. `hold` is reserved before the request and corrected when the answer has ended",
    .known = CostKnown::at_end,
    .takes = CostTakes::text,
    .body = ReadsBody::answer,
    .of_api = true,
    .fault =
        [](std::string_view name) {
          return usage::find_provider(name) != nullptr ? std::string() : "one of: " + usage::provider_names();
        },
    .plan =
        [](Cost& /*cost*/, BodyPlan& bodies) {
          bodies.reads_answer = true;
          bodies.reads_request = true;  // its input counts even if the answer reports nothing
        },
    .meaning =
        [](const Cost& cost) {
          return "holds " + hold_in_words(cost) + ", then costs the tokens that the answer reports as " + cost.name +
                 " does, at most " + std::to_string(cost.most) + excess_in_words(cost);
        },
    .told = cost_of_usage,
    .so_far = cost_of_usage_so_far};

}  // namespace headgate::gateway::cost_source
