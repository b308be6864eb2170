#pragma once
// The X-Real-IP field, which has no standard: the single address that the nearest proxy writes. Used by the walk along
// the hops.

#include "address_bits.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace headgate::identity {

class RealIp {
 public:
  explicit RealIp(std::span<const std::string_view> fields) noexcept : fields_(fields) {}

  /// Returns the address at the first call. Later calls return nothing. The first call also returns nothing if
  /// parse_entry rejects the address, or if there are two fields, because one of them may come from the client.
  std::optional<AddressBits> next() noexcept;

 private:
  std::span<const std::string_view> fields_;
};

}  // namespace headgate::identity
