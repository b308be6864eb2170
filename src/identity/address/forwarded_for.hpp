#pragma once
// The X-Forwarded-For field, which has no standard: a list of addresses, to which each hop appends the address of its
// client. Used by the walk along the hops.

#include "address_bits.hpp"
#include "list_from_right.hpp"

namespace headgate::identity {

std::size_t last_plain_comma(std::string_view text) noexcept;

class ForwardedFor {
 public:
  explicit ForwardedFor(std::span<const std::string_view> fields) noexcept : entries_(fields) {}

  /// Returns the next address to the left. Empty if no entry is left or parse_entry rejects it.
  std::optional<AddressBits> next() noexcept;

 private:
  ListFromRight<&last_plain_comma> entries_;
};

}  // namespace headgate::identity
