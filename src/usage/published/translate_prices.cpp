#include "published_model.hpp"
#include "usage/prices/decimal.hpp"

#include "headgate/core/json_text.hpp"
#include "headgate/usage/published_prices.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace headgate::usage {
namespace {

void append_price(std::string& out, const char* name, std::int64_t price) {
  if (price < 0) return;
  out += out.ends_with('{') ? " \"" : ", \"";
  out.append(name).append("\": \"").append(to_units(price)) += '"';
}

void append_prices(std::string& out, const TokenPrices& prices) {
  append_price(out, "input", prices.input);
  append_price(out, "cached", prices.cached);
  append_price(out, "cache_written", prices.cache_written);
  append_price(out, "cache_written_long", prices.cache_written_long);
  append_price(out, "output", prices.output);
  append_price(out, "audio_input", prices.audio_input);
  append_price(out, "audio_output", prices.audio_output);
}

/// Models by name, with the remarks about them.
class Collected {
 public:
  void add(const std::string& name, DraftedModel&& drafted) {
    if (!drafted.left_out.empty()) return remark(true, drafted.left_out, name);
    const auto [at, fresh] = models_.try_emplace(name, drafted);
    if (!fresh && at->second.price != drafted.price) ambiguous_.push_back(name);
  }

  TranslatedPrices take(const std::string& currency) {
    std::sort(ambiguous_.begin(), ambiguous_.end());
    ambiguous_.erase(std::unique(ambiguous_.begin(), ambiguous_.end()), ambiguous_.end());
    for (const auto& name : ambiguous_) {
      models_.erase(name);
      remark(true, "entries with the same name have different prices", name);
    }
    TranslatedPrices out;
    out.models = models_.size();
    out.text = "// Made by `headgate prices import`. The prices are those of a million tokens.\n{\n  \"currency\": \"" +
               currency + "\",\n  \"models\": {\n";
    for (const auto& [name, drafted] : models_) {
      append_model(out.text, name, drafted.price);
      for (const auto& note : drafted.notes) remark(false, note, name);
    }
    out.text += "  },\n}\n";
    for (auto& [reason, names] : left_out_) out.remarks.push_back({true, reason, std::move(names)});
    for (auto& [reason, names] : notes_) out.remarks.push_back({false, reason, std::move(names)});
    return out;
  }

 private:
  void remark(bool left_out, const std::string& reason, const std::string& name) {
    (left_out ? left_out_ : notes_)[reason].push_back(name);
  }

  std::map<std::string, DraftedModel> models_;
  std::map<std::string, std::vector<std::string>> left_out_;  // names by reason
  std::map<std::string, std::vector<std::string>> notes_;
  std::vector<std::string> ambiguous_;
};

}  // namespace

void append_model(std::string& out, std::string_view name, const DraftPrice& price) {
  out += "    \"";
  append_json_text(out, name);
  out += "\": {";
  append_prices(out, price.prices);
  for (const auto& [above, prices] : price.steps) {
    out += above == price.steps.begin()->first ? ", \"above\": [{" : ", {";
    out += " \"input_tokens\": " + std::to_string(above);
    append_prices(out, prices);
    out += " }";
  }
  if (!price.steps.empty()) out += ']';
  if (price.most_output > 0) out += ", \"max_output\": " + std::to_string(price.most_output);
  out += " },\n";
}

Result<TranslatedPrices, JsonMistake> translate_prices(std::string_view json, const PublishedOptions& options) {
  const auto read = read_published(json);
  if (read.has_error()) return read.error();
  Collected collected;
  const auto prefix = options.provider + '/';
  for (const auto& each : *read) {
    if (!options.provider.empty() && each.provider != options.provider) continue;
    const bool prefixed = !options.provider.empty() && each.name.starts_with(prefix);
    collected.add(prefixed ? each.name.substr(prefix.size()) : each.name, draft_of(each));
  }
  return collected.take(options.currency);
}

}  // namespace headgate::usage
