// Implements headgate prices: makes and checks price files of language models.

#include "headgate/usage/prices.hpp"

#include "commands.hpp"
#include "config_file.hpp"
#include "printable.hpp"
#include "text_table.hpp"

#include "headgate/usage/published_prices.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

namespace headgate::cli {
namespace {

struct PricesOptions {
  std::string map;   ///< the published map
  std::string file;  ///< the price file
  usage::PublishedOptions published;
};

/// Returns the text of the file, or of stdin for "-"; empty after an error message.
std::optional<std::string> price_text(const std::string& file) {
  if (file != "-") return read_file(file);
  std::string out{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
  if (!std::cin.bad()) return out;
  std::fprintf(stderr, "headgate: cannot read stdin\n");
  return std::nullopt;
}

int complain_of_prices(const std::string& file, const JsonMistake& mistake) {
  std::fprintf(stderr, "%s:%zu:%zu: error: %s%s\n", printable(file).c_str(), mistake.line, mistake.column,
               printable(mistake.message).c_str(),
               mistake.pointer.empty() ? "" : printable(" [" + mistake.pointer + ']').c_str());
  if (!mistake.help.empty()) std::fprintf(stderr, "  help: %s\n", printable(mistake.help).c_str());
  return kBadConfiguration;
}

/// Returns "2 models left out: the mode is rerank: a, b".
std::string price_remark(const usage::PriceRemark& remark) {
  auto out = how_many_of(remark.models.size(), "model") + (remark.left_out ? " left out: " : ": ") + remark.reason;
  for (const auto& name : remark.models) out += (&name == &remark.models.front() ? ": " : ", ") + name;
  return out;
}

int import_prices(const PricesOptions& options) {
  const auto json = price_text(options.map);
  if (!json) return kBadConfiguration;
  const auto translated = usage::translate_prices(*json, options.published);
  if (translated.has_error()) return complain_of_prices(options.map, translated.error());
  std::size_t left_out = 0;
  for (const auto& remark : translated->remarks) {
    std::fprintf(stderr, "%s\n", printable(price_remark(remark)).c_str());
    if (remark.left_out) left_out += remark.models.size();
  }
  if (translated->models == 0) {
    const auto& provider = options.published.provider;
    std::fprintf(stderr, "headgate: %s has no model%s whose price could be translated; %s\n",
                 printable(options.map).c_str(),
                 provider.empty() ? "" : printable(" with the litellm_provider \"" + provider + '"').c_str(),
                 "give the file model_prices_and_context_window.json that LiteLLM publishes");
    return kFailed;
  }
  std::fputs(translated->text.c_str(), stdout);
  std::fprintf(stderr, "%s with a price, %zu left out\n", how_many_of(translated->models, "model").c_str(), left_out);
  return kWell;
}

std::vector<Cell> price_row(std::string name, const usage::TokenPrices& prices, std::int64_t most_output) {
  std::vector<Cell> out{std::move(name)};
  for (const auto price : {prices.input, prices.cached, prices.cache_written, prices.cache_written_long, prices.output,
                           prices.audio_input, prices.audio_output})
    out.emplace_back(usage::to_units(price));
  out.emplace_back(most_output > 0 ? std::to_string(most_output) : "");
  return out;
}

int check_prices(const PricesOptions& options) {
  const auto text = price_text(options.file);
  if (!text) return kBadConfiguration;
  const auto prices = usage::Prices::parse(*text);
  if (prices.has_error()) return complain_of_prices(options.file, prices.error());
  TextTable table({"model", "input", "cached", "written", "for 1 h", "output", "audio in", "audio out", "max output"});
  std::size_t free = 0;
  for (const auto& [name, price] : prices->models()) {
    table.row(price_row(printable(name), price, price.most_output));
    for (const auto& step : price.steps)
      table.row(price_row("  above " + std::to_string(step.above) + " of input", step.prices, 0));
    if (price.input == 0 && price.output == 0) ++free;
  }
  if (!table.empty()) std::fputs(table.text(stdout_has_colours(), stdout_width()).c_str(), stdout);
  std::printf("%s: %s, in %s per million tokens", printable(options.file).c_str(),
              how_many_of(prices->models().size(), "model").c_str(), prices->currency().c_str());
  std::puts(free > 0 ? (", " + std::to_string(free) + " free").c_str() : "");
  return kWell;
}

std::string fault_of_currency(const std::string& text) {
  const bool capitals = std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return text.size() == 3 && capitals ? "" : "a currency has three capital letters, such as EUR";
}

}  // namespace

void offer_prices(CLI::App& app, int& result) {
  auto* prices = app.add_subcommand("prices", "Make and check price files of language models");
  prices->require_subcommand(1);
  const auto options = std::make_shared<PricesOptions>();

  auto* import = prices->add_subcommand("import", "Make a price file from the price map that LiteLLM publishes");
  import->add_option("file", options->map, "The map, model_prices_and_context_window.json; - for stdin")->required();
  import
      ->add_option("--currency", options->published.currency,
                   "The currency of the map, for the price file; prices are not converted")
      ->capture_default_str()
      ->check(CLI::Validator(fault_of_currency, "", ""));
  import->add_option("--provider", options->published.provider,
                     "Only models whose litellm_provider is this; NAME/ is removed from their names");
  import->callback([&result, options] { result = import_prices(*options);
});

auto* check = prices->add_subcommand("check", "Check a price file, and print its prices as a table");
check->add_option("file", options->file, "The price file; - for stdin")->required();
check->callback([&result, options] { result = check_prices(*options); });
}  // namespace headgate::cli

}  // namespace headgate::cli
