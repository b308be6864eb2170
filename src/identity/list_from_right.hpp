#pragma once
// The elements of a list that fields carry, the last one first. Used by the readers of fields that hops append to.

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace headgate::identity {

/// Several fields are one list, in the order received (RFC 9110 section 5.3). `last_comma` finds where the last element
/// of a text begins: the position of the comma before it, or npos. What stands to the left, where a client may have
/// written anything, is not looked at before the elements to its right have been handed out, and so cannot change them.
template <std::size_t (*last_comma)(std::string_view) noexcept>
class ListFromRight {
 public:
  explicit ListFromRight(std::span<const std::string_view> fields) noexcept : fields_(fields) {}

  /// The next element to the left, without the blanks around it; nothing once there is none.
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
  static std::string_view trimmed(std::string_view text) noexcept {
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
  }

  std::span<const std::string_view> fields_;
  std::string_view rest_;
  bool within_ = false;  // rest_ still holds elements, the leftmost of which may be empty
};

}  // namespace headgate::identity
