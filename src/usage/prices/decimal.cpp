#include "decimal.hpp"

#include "headgate/core/json_spelling.hpp"
#include "headgate/core/whole_number.hpp"
#include "headgate/usage/prices.hpp"

#include <algorithm>

namespace headgate::usage {
namespace {

constexpr std::int64_t kFarExponent = 1'000'000;  // so far that a shift cannot bring it back

/// Returns the exponent that `text`, the part behind 'e', has. Exponents that do not fit are very large or very small.
std::int64_t exponent_in(std::string_view text) {
  if (text.empty()) return 0;
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  if (text.empty()) return 0;
  const auto size = whole_number<std::int64_t>(text, 0, kFarExponent).value_or(kFarExponent);
  return negative ? -size : size;
}

}  // namespace

std::optional<Scaled> scaled_up(std::string_view number, int shift) {
  if (!is_json_number(number) || number.front() == '-') return std::nullopt;
  const auto e = std::min(number.find_first_of("eE"), number.size());
  auto exponent = shift + exponent_in(number.substr(std::min(e + 1, number.size())));
  std::string digits(number.substr(0, e));
  if (const auto point = digits.find('.'); point != digits.npos) {
    exponent -= static_cast<std::int64_t>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return Scaled{};
  while (exponent < 0 && digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  const auto length = static_cast<std::int64_t>(digits.size()) + exponent;  // digits before the point
  if (length > 16) return std::nullopt;
  if (exponent >= 0)
    digits.append(static_cast<std::size_t>(exponent), '0');
  else
    digits.resize(static_cast<std::size_t>(std::max<std::int64_t>(length, 0)));
  const auto whole = digits.empty() ? 0 : whole_number<std::int64_t>(digits).value_or(kMaxMicros);
  const Scaled out{.value = whole + (exponent < 0 ? 1 : 0), .exact = exponent >= 0};
  return out.value <= kMaxMicros ? std::optional(out) : std::nullopt;
}

std::string to_units(std::int64_t micros) {
  constexpr std::int64_t kUnit = 1'000'000;
  auto out = std::to_string(micros / kUnit);
  auto rest = std::to_string(kUnit + micros % kUnit);  // a one, then six digits
  rest.erase(rest.find_last_not_of('0') + 1);
  return rest.size() > 1 ? out + '.' + rest.substr(1) : out;
}

}  // namespace headgate::usage
