// Decides which costs of an entry become which price, and which entries are left out.

#include "published_model.hpp"
#include "usage/prices/decimal.hpp"

#include "headgate/core/whole_number.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace headgate::usage {
namespace {

constexpr int kPerToken = 12;  // digits from units for a token to micro-units for a million tokens
constexpr std::size_t kMaxDraftSteps = 8;

using DraftMember = std::int64_t TokenPrices::*;
constexpr std::array<std::pair<std::string_view, DraftMember>, 8> kCosts{{
    {"input_cost_per_token", &TokenPrices::input},
    {"output_cost_per_token", &TokenPrices::output},
    {"output_cost_per_reasoning_token", &TokenPrices::output},
    {"cache_read_input_token_cost", &TokenPrices::cached},
    {"cache_creation_input_token_cost", &TokenPrices::cache_written},
    {"cache_creation_input_token_cost_above_1hr", &TokenPrices::cache_written_long},
    {"input_cost_per_audio_token", &TokenPrices::audio_input},
    {"output_cost_per_audio_token", &TokenPrices::audio_output},
}};

constexpr TokenPrices kUndrafted{-1, -1, -1, -1, -1, -1, -1};

bool remove_end(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

/// The parts of the name of a cost: "input_cost_per_token_above_200k_tokens_priority".
struct CostName {
  explicit CostName(std::string_view name) : base(name) {
    for (const std::string_view each : {"_priority", "_fast"}) dearer_tier |= remove_end(base, each);
    for (const std::string_view each : {"_flex", "_batches", "_batch_requests"}) cheaper_tier |= remove_end(base, each);
    constexpr std::string_view kAbove = "_above_";
    const auto at = base.rfind(kAbove);
    auto size = at == base.npos ? std::string_view() : base.substr(at + kAbove.size());
    if (!remove_end(size, "k_tokens")) return;
    const auto thousands = whole_number<std::int64_t>(size, 1, 1'000'000);
    if (!thousands) return;
    above = *thousands * 1000;
    base = base.substr(0, at);
  }

  std::string_view base;
  std::int64_t above = 0;  ///< number of input tokens above which the cost applies; 0 for all calls
  bool dearer_tier = false;
  bool cheaper_tier = false;
};

class Draft {
 public:
  explicit Draft(const PublishedModel& model) : model_(model) {
    made_.price.prices = kUndrafted;
    made_.price.most_output = model.most_output;
  }

  DraftedModel take() {
    made_.left_out = fault();
    return std::move(made_);
  }

 private:
  /// Tokens that a price file has no price for.
  struct OtherTokens {
    bool input = false;
    bool audio = false;
    std::int64_t price = 0;
  };

  /// Returns why the model is left out; empty if it is not.
  std::string fault() {
    const auto& mode = model_.mode;
    if (mode.empty()) return "there is no mode";
    if (mode != "chat" && mode != "completion" && mode != "responses" && mode != "embedding")
      return "the mode is " + mode;
    if (model_.name.empty() || model_.name.size() > kMaxModelName || model_.name.find('*') != std::string::npos)
      return "a price file cannot have the name";
    for (const auto& [name, number] : model_.costs)
      if (auto why = add(name, number); !why.empty()) return why;
    auto& prices = made_.price.prices;
    if (mode == "embedding" && prices.output < 0) prices.output = prices.input;  // an embedding has no output
    if (prices.input < 0 || prices.output < 0) return "a token of input or output has no price, or the price is 0";
    if (has_dearer_tokens()) return "some tokens, for example those of images, cost more than plain ones";
    if (made_.price.steps.size() > kMaxDraftSteps) return "there are more than 8 steps";
    return {};
  }

  std::string add(std::string_view written_name, std::string_view number) {
    const CostName name(written_name);
    if (name.cheaper_tier) return {};
    if (number.empty()) return add_structure(name.base);
    const auto price = scaled_up(number, kPerToken);
    const auto* const known =
        std::find_if(kCosts.begin(), kCosts.end(), [&](const auto& each) { return each.first == name.base; });
    if (known == kCosts.end()) return add_other(name.base, number, price);
    if (!price) return "a price is negative, no number, or too high";
    if (name.dearer_tier) return note_if(price->value > 0, "a dearer service tier is not covered");
    if (price->value == 0)
      return note_if(known->second != &TokenPrices::input && known->second != &TokenPrices::output,
                     "a price is 0 and was left out, so a dearer one applies");
    note_if(!price->exact, "a price was rounded up to six decimals");
    auto& out = name.above == 0 ? made_.price.prices.*known->second
                                : made_.price.steps.try_emplace(name.above, kUndrafted).first->second.*known->second;
    out = std::max(out, price->value);
    return {};
  }

  std::string add_structure(std::string_view name) {
    if (name.find("pricing") != name.npos) return "the prices are in a list of ranges or times";
    return note_if(true, name == "provider_specific_entry" ? "a dearer service tier is not covered"
                                                           : "fees that are not for tokens are not covered");
  }

  /// Adds a cost that no price of a price file stands for.
  std::string add_other(std::string_view name, std::string_view number, const std::optional<Scaled>& price) {
    if (name.find("_dbu_") != name.npos) return {};  // the same costs in another unit
    const bool input = name.starts_with("input_cost_per_") || name.starts_with("cache_");
    const bool output = name.starts_with("output_cost_per_");
    if (!input && !output) return note_if(!is_zero(number), "fees that are not for tokens are not covered");
    const bool of_tokens = name.find("token") != name.npos;
    if (!of_tokens) return is_zero(number) ? "" : "some costs are per image, second, character or call";
    if (!price) return "a price is negative, no number, or too high";
    others_.push_back({input, name.find("audio") != name.npos, price->value});
    return {};
  }

  /// Returns whether tokens that a price file does not tell from plain ones cost more than these.
  bool has_dearer_tokens() const {
    const auto& prices = made_.price.prices;
    return std::any_of(others_.begin(), others_.end(), [&](const OtherTokens& each) {
      const auto plain = each.input ? prices.input : prices.output;
      const auto audio = each.audio ? (each.input ? prices.audio_input : prices.audio_output) : -1;
      return each.price > std::max(plain, audio);
    });
  }

  static bool is_zero(std::string_view number) {
    const auto read = scaled_up(number, 0);
    return read && read->value == 0;
  }

  std::string note_if(bool applies, const char* note) {
    if (applies) made_.notes.emplace(note);
    return {};
  }

  const PublishedModel& model_;
  DraftedModel made_;
  std::vector<OtherTokens> others_;
};

}  // namespace

DraftedModel draft_of(const PublishedModel& model) { return Draft(model).take(); }

}  // namespace headgate::usage
