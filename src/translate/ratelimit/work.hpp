#pragma once
// Shared parts of the importer for Envoy's reference rate limit service.

#include "translate/draft/draft.hpp"
#include "translate/reading/tree.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::translate {

/// The treatment of a descriptor that ends at a node.
enum class RateDoes : std::uint8_t { nothing, counts, rejects, is_free };

/// An entry of "descriptors": a key, and the values that it matches.
struct RateNode {
  Spot spot;
  std::string key;
  std::string value;    ///< empty for every value; ends with '*' if it is a beginning
  bool shares = false;  ///< whether all values with the beginning share a counter
  RateDoes does = RateDoes::nothing;
  std::uint64_t count = 0;  ///< requests in a period
  std::string period;       ///< period of a rate in headgate's words
  bool observes = false;    ///< whether nobody is rejected
  std::string name;
  std::vector<std::string> replaces;  ///< names of other rules
  std::string closed;                 ///< word that was not understood, so that the rules below reject; may be empty
  std::vector<RateNode> nodes;

  bool is_beginning() const noexcept { return value.ends_with('*'); }
  /// Returns the value as `decide` matches it.
  std::string pattern() const { return value.empty() ? "*" : value; }
};

/// The nodes of all files with the same domain.
struct RateDomain {
  std::string name;
  Spot spot;
  std::vector<RateNode> nodes;
};

/// A node at which descriptors are counted, rejected or free, and the nodes above it.
struct RateRule {
  std::vector<const RateNode*> path;  ///< from the first key to the last one; never empty
  const RateNode& last() const noexcept { return *path.back(); }
};

/// The descriptors with these values, in the order of the keys, and the rule that the service applies to them.
struct RateCell {
  std::vector<std::string> patterns;  ///< each a value, a beginning and '*', or "*"
  const RateRule* rule = nullptr;     ///< null if the service lets them pass
};

/// Reads the nodes of a document, and reports each part that is not translated.
std::vector<RateNode> read_rate_nodes(const TreeNode& list, Draft& draft);

/// Returns the cells that headgate must match so that it applies the same rule as the service to every descriptor with
/// the keys of `rules`. All rules have the same keys in the same order. The service looks at one key after another and
/// never goes back; headgate compares whole descriptors. Throws Unreadable if there are too many.
std::vector<RateCell> cells_of(const RateDomain& domain, const std::vector<const RateRule*>& rules);

}  // namespace headgate::translate
