#pragma once
// Prices of language models, read from a price file (docs/prices.md). Money is never a floating-point number: prices
// are whole micro-units, which are millionths of the currency's unit.

#include "headgate/core/json_walk.hpp"
#include "headgate/core/result.hpp"
#include "headgate/usage/usage.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::usage {

/// Maximum of a price, and of what price_of() returns, in micro-units: a thousand million units.
inline constexpr std::int64_t kMaxMicros = 1'000'000'000'000'000;

/// Prices of a million tokens of each kind, in micro-units, from 0 to kMaxMicros.
struct TokenPrices {
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t cached = 0;              ///< input that is read from a cache
  std::int64_t cache_written = 0;       ///< input that is written to a cache
  std::int64_t cache_written_long = 0;  ///< input that is written to a cache for an hour
  std::int64_t audio_input = 0;
  std::int64_t audio_output = 0;

  bool operator==(const TokenPrices&) const = default;
};

/// Prices of a call whose whole input has more than `above` tokens. They apply to all its tokens.
struct PriceStep {
  std::int64_t above = 0;
  TokenPrices prices;

  bool operator==(const PriceStep&) const = default;
};

/// Prices of a model. Prices that the file leaves out are filled in, never cheaper than the known ones
/// (docs/prices.md).
struct Price : TokenPrices {
  std::vector<PriceStep> steps;  ///< by rising `above`; the last step that the input exceeds applies
  std::int64_t most_output = 0;  ///< maximum number of output tokens of a call; 0 if unknown

  bool operator==(const Price&) const = default;
};

/// A model of a price file.
struct PricedModel {
  std::string name;  ///< with a '*' at the end if it stands for all names with this beginning
  Price price;
};

/// Maximum size of a price file in bytes, and of the name of a model.
inline constexpr std::size_t kMaxPriceFile = 16UL * 1024 * 1024;
inline constexpr std::size_t kMaxModelName = 256;

/// The content of a price file. Immutable once it has been read; shared by threads.
class Prices {
 public:
  /// Reads a price file: JSON with comments and trailing commas. Returns the first mistake.
  static Result<Prices, JsonMistake> parse(std::string_view text);

  /// Returns the price of the model with exactly this name, otherwise that of the longest beginning with a '*' in the
  /// file, otherwise null. The pointer is valid as long as the prices are.
  const Price* find(std::string_view model) const noexcept;
  /// Returns the model of the file with that price, or null.
  const PricedModel* find_model(std::string_view model) const noexcept;
  /// Returns the currency that the file names, such as "EUR"; "USD" if it names none.
  const std::string& currency() const noexcept { return currency_; }
  /// Returns all models by name, first those without a '*'.
  std::span<const PricedModel> models() const noexcept { return models_; }

 private:
  std::string currency_ = "USD";
  std::vector<PricedModel> models_;  // exact names in order, then beginnings, the longest first
  std::size_t exact_ = 0;            // number of exact names
};

/// Returns micro-units, which must not be negative, as decimal text without useless zeros: "2.5" for 2,500,000.
std::string to_units(std::int64_t micros);

/// Returns what a call costs in micro-units: exact, then rounded up to a whole one, at most kMaxMicros.
///
/// - Parts of the input (cached, written, audio) have their own prices, and the rest of the input has the price of
///   input. The same applies to audio in the output.
/// - If the total exceeds input and output, the tokens in excess have the dearer price of the two.
/// - A count that was not reported costs nothing. So the caller must fill in an estimate of it before.
std::int64_t price_of(const Price& price, const Usage& usage) noexcept;

}  // namespace headgate::usage
