#pragma once
// A set of field names, as servers read them that hand fields on as variables.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::http {

/// Compared as same_variable does; "X-Forwarded-*" stands for every name that begins so. Immutable; any thread.
class FieldNames {
 public:
  FieldNames() = default;
  explicit FieldNames(std::span<const std::string> names);
  bool contains(std::string_view name) const noexcept;

 private:
  static std::uint64_t bit_of(std::size_t length) noexcept { return std::uint64_t{1} << (length & 63); }

  std::vector<std::string> names_;
  std::vector<std::string> beginnings_;  // without their '*'
  std::uint64_t lengths_ = 0;            // of names_, so that most names are compared with none
};

}  // namespace headgate::http
