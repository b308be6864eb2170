#pragma once
// Forwarded (RFC 7239 section 4): a list of elements, to which each hop appends what it knows of the request it got.
// Used by the walk along the hops.

#include "address_bits.hpp"
#include "list_from_right.hpp"

namespace headgate::identity {

/// The last comma that stands in no quoted string, or npos. Read from the right a quote is the end of a string, and its
/// beginning is the next quote to the left that no odd number of backslashes stands before: where the text follows the
/// grammar, that is what a reader from the left finds.
std::size_t last_comma_outside_quotes(std::string_view text) noexcept;

class Forwarded {
 public:
  explicit Forwarded(std::span<const std::string_view> fields) noexcept : elements_(fields) {}

  /// The address in `for` of the next element to the left. Nothing where no element is left, where it breaks the
  /// grammar in any of its pairs, has no `for` or two of them, or names something else than an address.
  std::optional<AddressBits> next() noexcept;

  /// `proto` and `host` of the element that next() gave last; empty where it does not say, or says it with escapes,
  /// which neither ever needs.
  std::string_view proto() const noexcept { return proto_; }
  std::string_view host() const noexcept { return host_; }

 private:
  ListFromRight<&last_comma_outside_quotes> elements_;
  std::string_view proto_;
  std::string_view host_;
};

}  // namespace headgate::identity
