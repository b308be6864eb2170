#pragma once
// A set of field names. Compared as servers do that turn fields into variables.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::http {

/// Names are compared with same_variable(). "X-Forwarded-*" matches every longer name with this beginning. Immutable;
/// any thread.
class FieldNames {
 public:
  FieldNames() = default;
  explicit FieldNames(std::span<const std::string> names);
  bool contains(std::string_view name) const noexcept;

 private:
  /// Of a letter, the same in both cases.
  static std::uint64_t bit_of(char first) noexcept {
    return std::uint64_t{1} << (static_cast<unsigned char>(first) & 31);
  }

  std::vector<std::string> names_;       // the shortest first
  std::vector<std::uint16_t> begins_;    // by length: where those of that length begin in names_; most have none
  std::vector<std::string> beginnings_;  // without the '*'
  std::uint64_t firsts_ = 0;             // a bit for each first character in beginnings_
};

}  // namespace headgate::http
