#pragma once
// Translates the price map that LiteLLM publishes (model_prices_and_context_window.json) into a price file.

#include "headgate/core/json_walk.hpp"
#include "headgate/core/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::usage {

struct PublishedOptions {
  std::string currency = "USD";  ///< the currency of the map, three capital letters; nothing is converted
  /// If not empty, only models of this provider are translated, and "<provider>/" is removed from their names.
  std::string provider{};
};

/// Models of the map that share a remark.
struct PriceRemark {
  bool left_out = false;  ///< the price file does not have these models
  std::string reason;     ///< a clause without a full stop: "the mode is image_generation"
  std::vector<std::string> models;
};

struct TranslatedPrices {
  std::string text;                  ///< the price file, which Prices::parse() accepts
  std::size_t models = 0;            ///< number of models in it
  std::vector<PriceRemark> remarks;  ///< those of models that were left out come first
};

/// Translates the map `json`. A model whose price the map does not fully give per token is left out, so that it is
/// never too cheap or free. The error describes a mistake in the JSON.
Result<TranslatedPrices, JsonMistake> translate_prices(std::string_view json, const PublishedOptions& options);

}  // namespace headgate::usage
