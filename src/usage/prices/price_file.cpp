// Reads a price file, member by member.

#include "blank_comments.hpp"
#include "decimal.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/usage/prices.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace headgate::usage {
namespace {

constexpr std::size_t kMaxModels = 100'000;
constexpr std::size_t kMaxBeginnings = 256;
constexpr std::size_t kMaxSteps = 8;
constexpr int kMicroDigits = 6;

/// Prices as the file has them; -1 for a price that it leaves out.
constexpr TokenPrices kNoPrices{-1, -1, -1, -1, -1, -1, -1};

using PriceMember = std::int64_t TokenPrices::*;
constexpr std::array<std::pair<std::string_view, PriceMember>, 7> kPriceMembers{{
    {"input", &TokenPrices::input},
    {"output", &TokenPrices::output},
    {"cached", &TokenPrices::cached},
    {"cache_written", &TokenPrices::cache_written},
    {"cache_written_long", &TokenPrices::cache_written_long},
    {"audio_input", &TokenPrices::audio_input},
    {"audio_output", &TokenPrices::audio_output},
}};

PriceMember price_member(std::string_view name) {
  const auto* const found =
      std::find_if(kPriceMembers.begin(), kPriceMembers.end(), [&](const auto& each) { return each.first == name; });
  return found == kPriceMembers.end() ? nullptr : found->second;
}

void fill(std::int64_t& price, std::int64_t fallback) {
  if (price < 0) price = fallback;
}

/// Fills in what the prices of a model leave out, never cheaper than what is known.
void complete(TokenPrices& prices) {
  fill(prices.cached, prices.input);
  fill(prices.cache_written, std::max(prices.input, prices.cached));
  fill(prices.cache_written_long, prices.cache_written);
  const auto dearest = std::max({prices.input, prices.output, prices.audio_input, prices.audio_output});
  fill(prices.audio_input, dearest);
  fill(prices.audio_output, dearest);
}

/// Fills in what the prices of a step leave out. Each is at least what it was before the step, and at least the step's
/// own price of plain tokens.
void complete(TokenPrices& step, const TokenPrices& before) {
  fill(step.input, before.input);
  fill(step.output, before.output);
  for (const auto member : {&TokenPrices::cached, &TokenPrices::cache_written, &TokenPrices::audio_input})
    fill(step.*member, std::max(before.*member, step.input));
  fill(step.cache_written_long, std::max(before.cache_written_long, step.cache_written));
  fill(step.audio_output, std::max(before.audio_output, step.output));
}

class PriceFile {
 public:
  explicit PriceFile(std::string_view json) : walk_(json, "comments begin with // or /*", kMaxModels) {}

  struct Content {
    std::string currency = "USD";
    std::vector<PricedModel> models;
  };

  Result<Content, JsonMistake> read() {
    if (file()) return std::move(content_);
    return walk_.mistake();
  }

 private:
  bool file() {
    bool has_models = false;
    const bool read = walk_.object([&](std::string_view name) {
      if (name == "currency") return currency();
      if (name != "models") return walk_.refuse_member("unknown member", R"(a price file has "currency" and "models")");
      has_models = true;
      return walk_.object([&](std::string_view model) { return add(model); });
    });
    if (!read || !walk_.end()) return false;
    return has_models || walk_.refuse_at(0, "\"models\" is missing here",
                                         R"(write { "models": { "gpt-4o": { "input": "2.50", "output": "10" } } })");
  }

  bool currency() {
    if (!walk_.text(content_.currency)) return false;
    const auto& text = content_.currency;
    const bool capitals = std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    return (text.size() == 3 && capitals) ||
           walk_.refuse("a currency has three capital letters", R"(write its code of ISO 4217, such as "EUR")");
  }

  bool add(std::string_view name) {
    if (name.empty() || name.size() > kMaxModelName)
      return walk_.refuse_member("the name of a model has 1 to 256 bytes", "write it as clients do in their requests");
    if (name.find('*') < name.size() - 1)
      return walk_.refuse_member(
          "a '*' stands before the end of this name",
          "write it only at the end, where it matches any text; list other models by their names");
    if (name.ends_with('*') && ++beginnings_ > kMaxBeginnings)
      return walk_.refuse_member("more than 256 names end with '*'", "join some that have the same prices");
    PricedModel made{.name = std::string(name), .price = {}};
    if (!model(made.price)) return false;
    content_.models.push_back(std::move(made));
    return true;
  }

  bool model(Price& out) {
    const auto place = walk_.here();
    static_cast<TokenPrices&>(out) = kNoPrices;
    const bool read = walk_.object([&](std::string_view name) {
      if (const auto member = price_member(name)) return price(out.*member);
      if (name == "above") return steps(out.steps);
      if (name == "max_output") return count(out.most_output);
      return unknown(name, {"above", "max_output"});
    });
    if (!read) return false;
    for (const auto* required : {"input", "output"})
      if (out.*price_member(required) < 0)
        return walk_.refuse_at(place, '"' + std::string(required) + "\" is missing here",
                               R"(add the price of a million tokens, such as "2.50", or "0" if they are free)");
    complete(out);
    const TokenPrices* before = &out;
    for (auto& each : out.steps) {
      complete(each.prices, *before);
      before = &each.prices;
    }
    return true;
  }

  bool steps(std::vector<PriceStep>& out) {
    return walk_.list([&] {
      const auto place = walk_.here();
      if (out.size() == kMaxSteps) return walk_.refuse_at(place, "a model has at most 8 steps", "remove some");
      PriceStep step{.above = 0, .prices = kNoPrices};
      const bool read = walk_.object([&](std::string_view name) {
        if (name == "input_tokens") return count(step.above);
        const auto member = price_member(name);
        return member != nullptr ? price(step.prices.*member) : unknown(name, {"input_tokens"});
      });
      if (!read) return false;
      if (step.above == 0)
        return walk_.refuse_at(place, "\"input_tokens\" is missing here",
                               "add the number of input tokens above which these prices apply, such as 200000");
      if (step.prices == kNoPrices)
        return walk_.refuse_at(place, "this step has no price", R"(add one, such as "input": "5", or remove the step)");
      if (!out.empty() && step.above <= out.back().above)
        return walk_.refuse_at(place, "the step before this one begins at as many tokens or more",
                               R"(order the steps by rising "input_tokens")");
      out.push_back(step);
      return true;
    });
  }

  bool unknown(std::string_view name, std::initializer_list<std::string_view> others) {
    std::vector<std::string_view> names(others);
    for (const auto& each : kPriceMembers) names.push_back(each.first);
    const auto near = nearest(name, names);
    return walk_.refuse_member("unknown member",
                               near.empty() ? "docs/prices.md lists all of them" : "did you mean \"" + near + "\"?");
  }

  bool count(std::int64_t& out) {
    std::uint64_t read = 0;
    if (!walk_.whole_number(read, 1, 1'000'000'000)) return false;
    out = static_cast<std::int64_t>(read);
    return true;
  }

  bool price(std::int64_t& out) {
    std::string text;
    if (walk_.next() == JsonKind::text) {
      if (!walk_.text(text)) return false;
    } else {
      if (walk_.next() != JsonKind::number) return walk_.refuse_kind("a price");
      std::string_view written;
      if (!walk_.number(written)) return false;
      text = written;
    }
    const auto read = scaled_up(text, kMicroDigits);
    if (!read)
      return walk_.refuse("a price is a number from 0 to 1000000000",
                          R"(write what a million tokens cost, such as "2.50", without a currency)");
    if (!read->exact)
      return walk_.refuse("a price has at most six decimals", "round it up: its last decimal is a millionth");
    out = read->value;
    return true;
  }

  JsonWalk walk_;
  Content content_;
  std::size_t beginnings_ = 0;  // number of names that end with '*'
};

bool is_beginning(const PricedModel& model) { return model.name.ends_with('*'); }

}  // namespace

Result<Prices, JsonMistake> Prices::parse(std::string_view text) {
  if (text.size() > kMaxPriceFile)
    return JsonMistake{.message = "a price file has at most 16 MiB", .help = "leave out models that nobody uses"};
  std::string json(text);
  if (const auto unended = blank_comments(json)) {
    JsonWalk walk(json, "");
    walk.refuse_at(*unended, "this comment is never closed", "close it with */");
    return walk.mistake();
  }
  auto read = PriceFile(json).read();
  if (read.has_error()) return read.error();
  Prices out;
  out.currency_ = std::move(read->currency);
  out.models_ = std::move(read->models);
  std::sort(out.models_.begin(), out.models_.end(), [](const PricedModel& a, const PricedModel& b) {
    if (is_beginning(a) != is_beginning(b)) return is_beginning(b);
    if (is_beginning(a) && a.name.size() != b.name.size()) return a.name.size() > b.name.size();
    return a.name < b.name;
  });
  out.exact_ = static_cast<std::size_t>(std::find_if(out.models_.begin(), out.models_.end(), is_beginning) -
                                        out.models_.begin());
  return out;
}

const Price* Prices::find(std::string_view model) const noexcept {
  const auto* const found = find_model(model);
  return found != nullptr ? &found->price : nullptr;
}

const PricedModel* Prices::find_model(std::string_view model) const noexcept {
  const auto beginnings = models_.begin() + static_cast<std::ptrdiff_t>(exact_);
  const auto at = std::lower_bound(models_.begin(), beginnings, model,
                                   [](const PricedModel& each, std::string_view name) { return each.name < name; });
  if (at != beginnings && at->name == model) return &*at;
  const auto longest = std::find_if(beginnings, models_.end(), [&](const PricedModel& each) {
    return model.starts_with(std::string_view(each.name).substr(0, each.name.size() - 1));
  });
  return longest == models_.end() ? nullptr : &*longest;
}

}  // namespace headgate::usage
