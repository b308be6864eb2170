#pragma once
// The Forwarded field (RFC 7239 section 4): a list of elements, to which each hop appends facts about its request. Used
// by the walk along the hops.

#include "address_bits.hpp"
#include "list_from_right.hpp"

namespace headgate::identity {

/// Returns the position of the last comma outside quoted strings, or npos. Searches from the right. A quote then is the
/// end of a string, whose beginning is the next quote to the left that is not escaped by an odd number of backslashes.
/// If the text follows the grammar, a parser from the left gives the same result.
std::size_t last_comma_outside_quotes(std::string_view text) noexcept;

class Forwarded {
 public:
  explicit Forwarded(std::span<const std::string_view> fields) noexcept : elements_(fields) {}

  /// Returns the address in `for` of the next element to the left. Empty if no element is left, if one of its pairs
  /// breaks the grammar, if it has no `for` or two of them, or if `for` is not an address.
  std::optional<AddressBits> next() noexcept;

  /// Returns `proto` of the element that next() returned last; host() returns `host`. Empty if the parameter is
  /// missing, or written with escapes, which its valid values do not need.
  std::string_view proto() const noexcept { return proto_; }
  std::string_view host() const noexcept { return host_; }

 private:
  ListFromRight<&last_comma_outside_quotes> elements_;
  std::string_view proto_;
  std::string_view host_;
};

}  // namespace headgate::identity
