#pragma once
// A set of field names, compared as by servers that turn fields into variables. Used by gateway.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::http {

/// A set of field names. Names are compared with same_variable(). "X-Forwarded-*" matches every longer name with this
/// beginning. Immutable; any thread.
class FieldNames {
 public:
  FieldNames() = default;
  explicit FieldNames(std::span<const std::string> names);
  bool contains(std::string_view name) const noexcept;

 private:
  /// Returns the bit of a character, the same for both cases of a letter.
  static std::uint64_t bit_of(char first) noexcept {
    return std::uint64_t{1} << (static_cast<unsigned char>(first) & 31);
  }

  std::vector<std::string> names_;  // shortest first
  // by length: index in names_ of the first name with that length; most lengths have no name
  std::vector<std::uint16_t> begins_;
  std::vector<std::string> beginnings_;  // beginnings of names, without the '*'
  std::uint64_t firsts_ = 0;             // one bit for each first character in beginnings_
};

}  // namespace headgate::http
