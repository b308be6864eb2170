#pragma once
// Sample configurations for each word of another product that has an equivalent. Their translations together have every
// key in the word's row.

#include "headgate/translate/translate.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace headgate::translate {

/// A configuration that uses `name`: `text` is inserted at `place` of the product's frame.
struct Sample {
  std::string_view name;
  std::string_view text;
  std::string_view place = {};
};

struct ProductSamples {
  Product product;
  std::string_view file;   ///< file name
  std::string_view frame;  ///< text with places such as "<http>"; the first place is the default
  std::vector<Sample> samples;
};

const std::vector<ProductSamples>& product_samples();

}  // namespace headgate::translate
