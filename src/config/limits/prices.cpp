// The file with the prices of language models.

#include "headgate/usage/prices.hpp"

#include "config/build.hpp"
#include "config/text/codes.hpp"
#include "config/text/placeholders.hpp"
#include "config/values.hpp"

namespace headgate::config {

void build_prices(Build& build) {
  const Node* written = text_at(&build.root, "prices");
  if (written == nullptr) return;
  build.config.identity.price_file = written->text;
  const auto content = read_text_file(written->text, usage::kMaxPriceFile);
  const auto what = "the price file " + in_quotes(written->written);
  if (!content.text) {
    build.report.error(code::kUnresolved, *written, what + " cannot be read: " + content.why_not,
                       "relative paths begin at the directory of this file; \"headgate prices import\" writes one");
  } else if (const auto read = usage::Prices::parse(*content.text); read.has_error()) {
    build.report.error(code::kUnresolved, *written, what + " has a mistake at " + to_text(read.error()),
                       "\"headgate prices check\" shows it");
  }
}

}  // namespace headgate::config
