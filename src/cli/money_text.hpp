#pragma once
// Amounts of money in tables.

#include <string>

namespace headgate::cli {

/// Returns micro-units as an amount: "0.000126" for "126". A text that is no such number is returned unchanged.
std::string amount_of_micros(std::string digits);

/// Returns the amount if `unit` is "money", otherwise the digits.
inline std::string permits_text(const std::string& unit, std::string digits) {
  return unit == "money" ? amount_of_micros(std::move(digits)) : digits;
}

}  // namespace headgate::cli
