#pragma once
// Where the cost of a request is read from: one row for each key of a route's `cost`. A row is a file in
// src/gateway/cost_sources, and the build makes the table of them; no other code names one.

#include "headgate/gateway/options.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headgate::gateway {

struct Exchange;

/// When a cost is known.
enum class CostKnown : std::uint8_t {
  before,  ///< from the request. `otherwise` is the cost where it says nothing
  after    ///< from the answer. `hold` is taken before the request and settled when the answer is there
};

/// What a user writes behind a source's key. Of a name and a text `most` bounds what they may say.
enum class CostTakes : std::uint8_t {
  methods,  ///< an object: Cost::methods
  field,    ///< the name of a header field: Cost::name, in lower case
  text      ///< any text: Cost::name
};

/// A cost as it was found.
struct ToldCost {
  std::optional<std::int64_t> cost{};
  std::string_view unreadable{};  ///< what is there instead; "" if nothing is
};

/// One row. Constant; any thread.
struct CostSource {
  std::string_view word;     ///< the key: "response_header"
  std::string_view example;  ///< of its value, as JSON
  std::string_view doc;      ///< a sentence without its dot, for the reference
  CostKnown known = CostKnown::before;
  CostTakes takes = CostTakes::field;
  /// It is a field of the request, which any caller may write: it may stand once, and `headgate check` warns where no
  /// trusted hop writes it.
  bool callers_write = false;
  std::string (*meaning)(const Cost& cost) = nullptr;  ///< for `headgate check`: "costs what X-Cost says"
  /// The cost of this exchange. Runs for each limit of each request: no throw, no lock, no wait.
  ToldCost (*told)(const Exchange& x, const Cost& cost) = nullptr;
};

/// All rows, sorted by file. Made by the build of the files in src/gateway/cost_sources.
std::span<const CostSource* const> cost_sources() noexcept;

/// The source with this key; null if there is none.
const CostSource* find_cost_source(std::string_view word) noexcept;

/// Reads a cost: digits only. At most `most`.
ToldCost cost_in(std::string_view text, std::int64_t most) noexcept;

/// Whether the cost is known only from the answer.
inline bool is_settled(const Cost& cost) noexcept {
  return cost.from != nullptr && cost.from->known == CostKnown::after;
}

}  // namespace headgate::gateway
