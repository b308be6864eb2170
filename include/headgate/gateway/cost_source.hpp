#pragma once
// The sources of a request's cost: one row for each key of a route's `cost`. A row is a file in
// src/gateway/cost_sources, and the build makes the table of them; no other code names a row.

#include "headgate/gateway/options.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headgate::gateway {

struct Exchange;

/// The moment when a cost is known.
enum class CostKnown : std::uint8_t {
  before,  ///< from the request; `otherwise` is the cost if the request names none
  after    ///< from the answer; `hold` is taken in advance and settled when the answer arrives
};

/// The form of the value of a source's key. `most` bounds the cost that a field or a text may give.
enum class CostTakes : std::uint8_t {
  methods,  ///< an object: Cost::methods
  field,    ///< the name of a header field: Cost::name, in lower case
  text      ///< any text: Cost::name
};

/// A cost as the source read it.
struct CostReading {
  std::optional<std::int64_t> cost{};
  std::string_view unreadable{};  ///< the text that is no cost; "" if there is none
};

/// One source. Constant; any thread.
struct CostSource {
  std::string_view word;     ///< the key: "response_header"
  std::string_view example;  ///< an example of the value, as JSON
  std::string_view doc;      ///< a sentence without its full stop, for the reference
  CostKnown known = CostKnown::before;
  CostTakes takes = CostTakes::field;
  /// Whether any caller may write the value. The value must then appear only once in a request, and `headgate check`
  /// warns unless a trusted hop writes it.
  bool callers_write = false;
  /// the meaning in words, for `headgate check`: "costs what X-Cost says"
  std::string (*meaning)(const Cost& cost) = nullptr;
  /// Returns the cost of this exchange. Runs for each limit of each request, so it must not throw, lock or wait.
  CostReading (*told)(const Exchange& x, const Cost& cost) = nullptr;
};

/// All sources, sorted by file name. The build makes them of the files in src/gateway/cost_sources.
std::span<const CostSource* const> cost_sources() noexcept;

/// Returns the source with this key, or null.
const CostSource* find_cost_source(std::string_view word) noexcept;

/// Reads a cost that is written in digits only. A cost above `most` counts as `most`.
CostReading cost_in(std::string_view text, std::int64_t most) noexcept;

/// Returns whether the cost is known only from the answer.
inline bool is_settled(const Cost& cost) noexcept {
  return cost.from != nullptr && cost.from->known == CostKnown::after;
}

}  // namespace headgate::gateway
