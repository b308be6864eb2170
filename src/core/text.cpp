#include "headgate/core/text.hpp"

#include <array>

namespace headgate {
namespace {

constexpr auto kLower = [] {
  std::array<char, 256> out{};
  for (unsigned c = 0; c < out.size(); ++c) out[c] = lower(static_cast<char>(c));
  return out;
}();

}  // namespace

bool detail::same_letters(std::string_view a, std::string_view b) noexcept {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (kLower[static_cast<unsigned char>(a[i])] != kLower[static_cast<unsigned char>(b[i])]) return false;
  }
  return true;
}

}  // namespace headgate
