#pragma once
// For each word of another product that has an equivalent: configurations that use it. Together their translations have
// every key that the row of the word names.

#include "headgate/translate/translate.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace headgate::translate {

/// A configuration that uses `name`: `text` stands at `place` of the frame of its product.
struct Sample {
  std::string_view name;
  std::string_view text;
  std::string_view place = {};
};

struct ProductSamples {
  Product product;
  std::string_view file;   ///< name of the file
  std::string_view frame;  ///< "<PLACE>" is where samples of this place stand; the first place is the usual one
  std::vector<Sample> samples;
};

const std::vector<ProductSamples>& product_samples();

}  // namespace headgate::translate
