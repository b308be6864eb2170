#include "pricing.hpp"

#include "body_values.hpp"

#include "headgate/gateway/exchange.hpp"
#include "headgate/usage/provider.hpp"

#include <algorithm>

namespace headgate::gateway {

const usage::PricedModel* priced_model_of(const Exchange& x) noexcept {
  const auto* const prices = x.snapshot->credentials->prices();
  if (prices == nullptr || !x.bodies || x.bodies->plan().provider == nullptr) return nullptr;
  std::string_view model = x.route->model;
  if (model.empty() && x.bodies->request_state() == BodyState::read)
    model = usage::model_in(*x.bodies->plan().provider, x.bodies->request());
  if (model.empty()) model = usage::model_in_path(*x.bodies->plan().provider, x.request.path);
  return model.empty() ? nullptr : prices->find_model(model);
}

const usage::Price* price_of_call(const Exchange& x) noexcept {
  const auto* const model = priced_model_of(x);
  return model != nullptr ? &model->price : nullptr;
}

std::optional<std::int64_t> money_of(const Exchange& x, const Cost& cost, const usage::Usage& usage) noexcept {
  const auto* const price = price_of_call(x);
  return price != nullptr ? usage::price_of(*price, usage) : cost.unpriced;
}

std::optional<std::int64_t> most_money_of(const Exchange& x, const Cost& cost, std::int64_t input,
                                          std::int64_t output) noexcept {
  const auto* const price = price_of_call(x);
  if (price == nullptr) return cost.unpriced;
  if (price->most_output > 0) output = std::min(output, price->most_output);
  const usage::Usage plain{.input = input, .output = output};
  const usage::Usage written{.input = input, .cache_written = input, .output = output};
  return std::max(usage::price_of(*price, plain), usage::price_of(*price, written));
}

}  // namespace headgate::gateway
