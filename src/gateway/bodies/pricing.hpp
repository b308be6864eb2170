#pragma once
// The money that a call of a language model costs.

#include "headgate/usage/prices.hpp"

#include <cstdint>
#include <optional>

namespace headgate::gateway {

struct Cost;
struct Exchange;

/// Returns the price of the model that the call names in its body, or in its path as Gemini's calls do, or of the model
/// that its route writes into its body; null if there is none, or if it has no price. Valid as long as the snapshot of
/// the exchange.
const usage::Price* price_of_call(const Exchange& x) noexcept;

/// Returns the model of the price file that has this price; null as in price_of_call().
const usage::PricedModel* priced_model_of(const Exchange& x) noexcept;

/// Returns the cost of this usage in micro-units: by the price of the model, or Cost::unpriced if it has none; nothing
/// if neither is known.
std::optional<std::int64_t> money_of(const Exchange& x, const Cost& cost, const usage::Usage& usage) noexcept;

/// Returns the most that a call with this input and output can cost, whatever the provider's cache does; nothing as in
/// money_of().
std::optional<std::int64_t> most_money_of(const Exchange& x, const Cost& cost, std::int64_t input,
                                          std::int64_t output) noexcept;

}  // namespace headgate::gateway
