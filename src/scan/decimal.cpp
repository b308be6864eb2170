#include "decimal.hpp"

#include "front.hpp"

#include "headgate/scan/scan.hpp"

#include <algorithm>

namespace headgate::scan {
namespace {

constexpr std::uint64_t kEnoughDigits = 100'000'000'000'000'000U;  // 10^17: one more digit still fits
/// A bound of the exponent, beyond any number of digits that can be sent.
constexpr std::int64_t kMaxExponent = 100'000'000'000'000'000;

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

}  // namespace

/// Returns the end of a valid number, or `at` if the piece may cut it or if it is invalid.
const char* number_end(const char* const at, const char* const end) noexcept {
  const char* to = at;
  const auto digits = [&] {
    const char* const from = to;
    while (to != end && is_digit(*to)) ++to;
    return to != from && to != end;
  };
  if (*to == '-' && ++to == end) return at;
  if (*to == '0') {
    if (++to == end) return at;
  } else if (!digits()) {
    return at;
  }
  if (*to == '.') {
    const char* const from = to + 1;
    to = front_end<Digit>(from, end);
    if (to == from || to == end) return at;
  }
  if (*to == 'e' || *to == 'E') {
    if (++to == end) return at;
    if ((*to == '-' || *to == '+') && ++to == end) return at;
    if (!digits()) return at;
  }
  return to;
}

void Decimal::whole_digit(char c) noexcept {
  if (digits_ < kEnoughDigits) {
    digits_ = digits_ * 10 + static_cast<unsigned>(c - '0');
  } else {
    ++scale_;
    more_ = more_ || c != '0';
  }
}

void Decimal::fraction_digit(char c) noexcept {
  if (digits_ < kEnoughDigits) {
    digits_ = digits_ * 10 + static_cast<unsigned>(c - '0');
    --scale_;
  } else {
    more_ = more_ || c != '0';
  }
}

const char* Decimal::read(const char* at, const char* const end) noexcept {
  for (; at != end; ++at) {
    const char c = *at;
    switch (place_) {
      case Place::begin:
        negative_ = c == '-';
        if (negative_) {
          place_ = Place::minus;
          break;
        }
        [[fallthrough]];
      case Place::minus:
        if (!is_digit(c)) return at;
        place_ = c == '0' ? Place::zero : Place::whole;
        whole_digit(c);
        break;
      case Place::whole:
        while (is_digit(*at)) {
          whole_digit(*at);
          if (++at == end) return at;
        }
        [[fallthrough]];
      case Place::zero:
        if (*at == '.')
          place_ = Place::point;
        else if (*at == 'e' || *at == 'E')
          place_ = Place::e;
        else
          return at;
        break;
      case Place::point:
        if (!is_digit(c)) return at;
        place_ = Place::fraction;
        [[fallthrough]];
      case Place::fraction:
        while (is_digit(*at)) {
          fraction_digit(*at);
          if (++at == end) return at;
        }
        if (*at != 'e' && *at != 'E') return at;
        place_ = Place::e;
        break;
      case Place::e:
        place_ = Place::sign;
        exponent_negative_ = c == '-';
        if (c == '-' || c == '+') break;
        [[fallthrough]];
      case Place::sign:
        if (!is_digit(c)) return at;
        place_ = Place::exponent;
        [[fallthrough]];
      case Place::exponent:
        if (!is_digit(c)) return at;
        exponent_ = std::min(exponent_ * 10 + (c - '0'), kMaxExponent);
        break;
    }
  }
  return at;
}

std::int64_t Decimal::value() const noexcept {
  constexpr auto kLimit = static_cast<std::uint64_t>(kMaxNumber);
  auto power = scale_ + (exponent_negative_ ? -exponent_ : exponent_);
  auto size = digits_;
  bool rest = more_;
  for (; power < 0 && size != 0; ++power) {
    rest = rest || size % 10 != 0;
    size /= 10;
  }
  for (; power > 0 && size != 0 && size < kLimit; --power) size *= 10;
  if (rest && !negative_) ++size;
  const auto out = static_cast<std::int64_t>(std::min(size, kLimit));
  return negative_ ? -out : out;
}

}  // namespace headgate::scan
