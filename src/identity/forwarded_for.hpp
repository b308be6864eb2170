#pragma once
// X-Forwarded-For, which no standard describes: a list of addresses, to which each hop appends whom it got the request
// from. Used by the walk along the hops.

#include "address_bits.hpp"
#include "list_from_right.hpp"

namespace headgate::identity {

std::size_t last_plain_comma(std::string_view text) noexcept;

class ForwardedFor {
 public:
  explicit ForwardedFor(std::span<const std::string_view> fields) noexcept : entries_(fields) {}

  /// The next address to the left; nothing where no entry is left, or none that parse_entry reads.
  std::optional<AddressBits> next() noexcept;

 private:
  ListFromRight<&last_plain_comma> entries_;
};

}  // namespace headgate::identity
