#pragma once
// Numbers of JSON as exact decimals, rounded up to whole numbers.

#include <cstdint>

namespace headgate::scan {

/// Returns the end of a valid number, or `at` if the piece may cut the number or if it is invalid. `at` is not `end`.
const char* number_end(const char* at, const char* end) noexcept;

/// Reads a number of JSON in pieces, and remembers enough of its digits to round it exactly.
class Decimal {
 public:
  void begin() noexcept { *this = Decimal(); }
  /// Takes the bytes that continue the number, and returns the first one that does not, or `end`.
  const char* read(const char* at, const char* end) noexcept;
  /// Returns whether the bytes so far are a number.
  bool complete() const noexcept {
    return place_ == Place::zero || place_ == Place::whole || place_ == Place::fraction || place_ == Place::exponent;
  }
  /// Returns the number rounded up to a whole one, at most kMaxNumber and at least its negative.
  std::int64_t value() const noexcept;

 private:
  enum class Place : std::uint8_t { begin, minus, zero, whole, point, fraction, e, sign, exponent };
  void whole_digit(char c) noexcept;
  void fraction_digit(char c) noexcept;

  Place place_ = Place::begin;
  bool negative_ = false;
  bool exponent_negative_ = false;
  bool more_ = false;          ///< a digit other than 0 was left out
  std::uint64_t digits_ = 0;   ///< the first 18 significant digits
  std::int64_t scale_ = 0;     ///< the power of ten by which `digits_` is multiplied, without the exponent
  std::int64_t exponent_ = 0;  ///< without its sign
};

}  // namespace headgate::scan
