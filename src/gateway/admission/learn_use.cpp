#include "learn_use.hpp"

#include "gateway/bodies/body_values.hpp"
#include "gateway/bodies/holds.hpp"
#include "gateway/bodies/learned_use.hpp"
#include "gateway/limits/shards.hpp"

#include "headgate/gateway/cost_source.hpp"
#include "headgate/usage/provider.hpp"

#include <algorithm>

namespace headgate::gateway {

void learn_use(const Exchange& x) {
  constexpr unsigned kRefused = 400;
  if (x.admission.returned) return;  // another upstream has answered
  if (!x.bodies || x.bodies->answer_state() != BodyState::read || x.answer.status >= kRefused) return;
  const auto* const provider = x.bodies->plan().provider;
  if (provider == nullptr) return;
  const auto usage = usage::usage_in(*provider, x.bodies->answer());
  const bool broken_off = x.ended_by != EndedBy::upstream && !x.bodies->was_drained();
  const bool counts = usage.output < 0 || broken_off;
  const auto text = counts ? static_cast<std::int64_t>(usage::output_text_in(*provider, x.bodies->answer())) : 0;
  const auto& request = x.bodies->request();
  const bool read = x.bodies->request_state() == BodyState::read;
  for (const auto& checked : x.admission.limits) {
    const auto& cost = checked.route_limit->cost;
    if (cost.learned_as == 0) continue;
    const auto key = counted_key(x.admission, checked).key;
    const auto hash = keyed_hash(key, cost.learned_as);
    const auto counted = counts ? tokens_of(x, cost, key, text, bytes_of_token(cost)) : 0;
    x.learned->learn_output(hash, std::max(usage.output, counted));
    if (read && usage.input > 0)
      x.learned->learn_input(hash, static_cast<std::int64_t>(request.text_bytes()),
                             usage.input - static_cast<std::int64_t>(request.blocks()) * kBlockCost);
  }
}

}  // namespace headgate::gateway
