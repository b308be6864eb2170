#pragma once
// Iterates over the elements of a list in header fields from the last one. Used for fields to which hops append.

#include "headgate/core/text.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace headgate::identity {

/// The elements of several fields, which form one list in the order received (RFC 9110 section 5.3). `last_comma`
/// returns the position of the comma before the last element of a text, or npos. The left part of the list may have
/// been written by the client. It is not read before all elements to its right were returned, so it cannot change them.
template <std::size_t (*last_comma)(std::string_view) noexcept>
class ListFromRight {
 public:
  explicit ListFromRight(std::span<const std::string_view> fields) noexcept : fields_(fields) {}

  /// Returns the next element to the left, without surrounding blanks; empty if none is left.
  std::optional<std::string_view> next() noexcept {
    if (!within_) {
      if (fields_.empty()) return std::nullopt;
      rest_ = fields_.back();
      fields_ = fields_.first(fields_.size() - 1);
    }
    const auto comma = last_comma(rest_);
    within_ = comma != rest_.npos;
    const auto element = within_ ? rest_.substr(comma + 1) : rest_;
    if (within_) rest_ = rest_.substr(0, comma);
    return trimmed(element);
  }

 private:
  std::span<const std::string_view> fields_;
  std::string_view rest_;
  bool within_ = false;  // whether rest_ still has elements, of which the leftmost may be empty
};

}  // namespace headgate::identity
