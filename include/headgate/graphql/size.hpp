#pragma once
// How large a GraphQL request is, before a server runs it (https://spec.graphql.org/October2021/). Used by gateway.

#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::graphql {

/// The largest number of each kind that is reported.
inline constexpr std::int64_t kMaxCount = 1'000'000'000'000;

/// The size of an operation, with each fragment counted as often as it is used. Directives (`@skip`) make no field
/// cheaper.
struct Size {
  std::int64_t fields = 0;   ///< selected fields
  std::int64_t depth = 0;    ///< nested selections; 1 for `{ a }`
  std::int64_t aliases = 0;  ///< fields under another name

  bool operator==(const Size&) const = default;
};

/// Returns the size of the operation with this name in a document. Without a name, or if several operations have it,
/// returns the largest numbers of all operations. Nothing if the document is malformed, if it has no such operation, or
/// if a fragment is missing, has a second definition, or uses itself. Takes time in proportion to the document.
std::optional<Size> size_of(std::string_view document, std::string_view operation = {});

/// Returns the sizes of the operations in a body of JSON together: a request, or a list of them. Nothing if one of them
/// has no document that can be read, or if servers could read different ones (a member occurs twice).
/// With `largest`, the largest operation of each request counts, because servers could take the name of its operation
/// from somewhere else.
std::optional<Size> size_of_json(std::string_view body, bool largest = false);

/// Raises each number to that of `other`.
void raise(Size& to, const Size& other) noexcept;
/// Adds `more`. Numbers above kMaxCount count as kMaxCount.
void add(Size& sum, const Size& more) noexcept;

}  // namespace headgate::graphql
