#pragma once
// X-Real-IP, which no standard describes: the one address that the hop next to us names. Used by the walk along the
// hops.

#include "address_bits.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace headgate::identity {

class RealIp {
 public:
  explicit RealIp(std::span<const std::string_view> fields) noexcept : fields_(fields) {}

  /// The address, the first time; nothing afterwards, where parse_entry reads none, and where there are two fields, of
  /// which one may be the client's own.
  std::optional<AddressBits> next() noexcept;

 private:
  std::span<const std::string_view> fields_;
};

}  // namespace headgate::identity
