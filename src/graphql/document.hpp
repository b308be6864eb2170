#pragma once
// The operations and fragments of a GraphQL document, as far as their size depends on them.

#include "headgate/graphql/size.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace headgate::graphql {

/// A use of a fragment.
struct FragmentUse {
  std::string_view fragment;
  std::int64_t depth = 0;  ///< the depth of the selection that it stands in
};

/// An operation, or a fragment.
struct Definition {
  std::string_view name;  ///< empty for an operation without a name
  bool is_fragment = false;
  Size own;  ///< without the fragments that it uses
  std::vector<FragmentUse> spreads;
};

/// Reads a document. Nothing if it is malformed, or nested deeper than 250 selections.
std::optional<std::vector<Definition>> read_document(std::string_view document);

}  // namespace headgate::graphql
