#include "money_text.hpp"

#include "headgate/usage/prices.hpp"

#include <charconv>
#include <cstdint>

namespace headgate::cli {

std::string amount_of_micros(std::string digits) {
  std::int64_t micros = -1;
  const auto* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, micros);
  return error == std::errc() && stop == end && micros >= 0 ? usage::to_units(micros) : digits;
}

}  // namespace headgate::cli
