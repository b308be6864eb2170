#pragma once
// Permits in words, with the unit of their limit. Money is shown in the currency of the price file.

#include "headgate/gateway/exchange.hpp"

#include <cstdint>
#include <string>

namespace headgate::gateway {

/// Returns the currency of the price file, such as "EUR"; "USD" if there is no price file.
std::string currency_of(const Exchange& x);

/// Returns "126", or "0.000126 USD" if the unit is money.
std::string permits_in_words(const Exchange& x, std::uint64_t permits, limit::Unit unit);

/// Returns the rate of a rule: "5/minute", "1000 tokens/hour" or "50 USD/month".
std::string rate_in_words(const Exchange& x, const limit::Rule& rule);

}  // namespace headgate::gateway
