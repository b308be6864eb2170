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

struct BodyPlan;
struct Exchange;

/// The moment when a cost is known.
enum class CostKnown : std::uint8_t {
  before,  ///< from the request; `otherwise` is the cost if the request does not say it
  after,   ///< from the head of the answer; `hold` is taken before the request and settled when the head is there
  at_end   ///< from the bodies; `hold` is taken before the request and settled when the exchange ends
};

/// The body that a source reads.
enum class ReadsBody : std::uint8_t { none, request, answer };

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
  bool counted = false;  ///< whether the cost was counted from the bytes that passed, because the answer did not say it
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
  ReadsBody body = ReadsBody::none;
  /// Whether `otherwise` must be written: a caller can hide a high cost, so the usual 1 would be the cheapest request.
  bool needs_otherwise = false;
  bool of_api = false;  ///< whether `name` is an API of usage/provider.hpp, whose pointers the plan has first
  /// Whether the value is in a descriptor of the rate limit service, so that only entries of `decide` can use it.
  bool of_descriptor = false;
  /// Returns why `name` is not a valid value of a text, as a sentence without its full stop; "" if it is valid. Null if
  /// every text is.
  std::string (*fault)(std::string_view name) = nullptr;
  /// Adds what this cost reads to the plan of its route, and notes its place in `cost`. Null if the source reads no
  /// body. Called once, when the configuration is compiled.
  void (*plan)(Cost& cost, BodyPlan& bodies) = nullptr;
  /// the meaning in words, for `headgate check`: "costs what X-Cost says"
  std::string (*meaning)(const Cost& cost) = nullptr;
  /// Returns the cost of this exchange. Runs for each limit of each request, so it must not throw, lock or wait.
  CostReading (*told)(const Exchange& x, const Cost& cost) = nullptr;
  /// Returns the cost of what has passed of an answer so far, at most `most`. Null if the source cannot say that before
  /// the end. Does not throw, lock or wait.
  std::int64_t (*so_far)(const Exchange& x, const Cost& cost) noexcept = nullptr;
};

/// Returns all sources, sorted by file name. The build makes the list from the files in src/gateway/cost_sources.
std::span<const CostSource* const> cost_sources() noexcept;

/// Returns the source with this key, or null.
const CostSource* find_cost_source(std::string_view word) noexcept;

/// Reads a cost that is written in digits only. A cost above `most` counts as `most`.
CostReading cost_in(std::string_view text, std::int64_t most) noexcept;

/// Returns what is held for such a cost, as words for `headgate check`.
std::string hold_in_words(const Cost& cost);

/// Returns by how much a cost can exceed its hold and what follows for the limit, as the end of a sentence, for holds
/// that are learned; "" for other holds, which are exceeded only by calls that use more than they announce.
std::string excess_in_words(const Cost& cost);

/// Returns whether the cost is known only from the answer.
inline bool is_settled(const Cost& cost) noexcept {
  return cost.from != nullptr && cost.from->known != CostKnown::before;
}

/// Returns whether the cost or its hold is read from the body of the request.
inline bool reads_request_body(const Cost& cost) noexcept {
  return cost.from != nullptr && (cost.from->body == ReadsBody::request || cost.hold.reads_body());
}

}  // namespace headgate::gateway
