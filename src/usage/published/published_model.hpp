#pragma once
// One entry of LiteLLM's price map, and its translation.

#include "headgate/core/json_walk.hpp"
#include "headgate/core/result.hpp"
#include "headgate/usage/prices.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::usage {

/// An entry of the map as it is written.
struct PublishedModel {
  std::string name;
  std::string mode;
  std::string provider;
  std::int64_t most_output = 0;  ///< 0 if unknown
  /// Members that say what something costs, with their number as it is written; empty for an object or a list.
  std::vector<std::pair<std::string, std::string>> costs;
};

/// Reads all entries but the one that only describes the others.
Result<std::vector<PublishedModel>, JsonMistake> read_published(std::string_view json);

/// The prices of an entry in micro-units; -1 for a price that it does not have.
struct DraftPrice {
  TokenPrices prices;
  std::map<std::int64_t, TokenPrices> steps;  ///< by the number of input tokens above which they apply
  std::int64_t most_output = 0;

  bool operator==(const DraftPrice&) const = default;
};

/// The result of a translation: a price, or the reason why the model is left out.
struct DraftedModel {
  DraftPrice price;
  std::string left_out;         ///< empty if the model has a price
  std::set<std::string> notes;  ///< what the price does not cover
};

DraftedModel draft_of(const PublishedModel& model);

/// Appends the model as a line of a price file.
void append_model(std::string& out, std::string_view name, const DraftPrice& price);

}  // namespace headgate::usage
