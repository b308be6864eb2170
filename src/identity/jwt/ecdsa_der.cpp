#include "ecdsa_der.hpp"

#include <algorithm>

namespace headgate::identity {
namespace {

constexpr char kSequence = 0x30;
constexpr char kInteger = 0x02;
constexpr char kLengthInOneByte = static_cast<char>(0x81);

bool looks_negative(std::string_view magnitude) noexcept { return (magnitude.front() & 0x80) != 0; }

/// Returns the number without leading zero bytes, which DER does not allow. Zero itself keeps one byte.
std::string_view shortest(std::string_view magnitude) noexcept {
  const auto zeros = std::min(magnitude.find_first_not_of('\0'), magnitude.size() - 1);
  return magnitude.substr(zeros);
}

std::size_t integer_size(std::string_view magnitude) noexcept {
  return 2 + magnitude.size() + (looks_negative(magnitude) ? 1 : 0);
}

}  // namespace

EcdsaDer::EcdsaDer(std::string_view raw) noexcept {
  const auto r = shortest(raw.substr(0, raw.size() / 2));
  const auto s = shortest(raw.substr(raw.size() / 2));
  const auto content = integer_size(r) + integer_size(s);
  put(kSequence);
  if (content >= 0x80) put(kLengthInOneByte);
  put(static_cast<char>(content));
  put_integer(r);
  put_integer(s);
}

void EcdsaDer::put_integer(std::string_view magnitude) noexcept {
  put(kInteger);
  put(static_cast<char>(integer_size(magnitude) - 2));
  if (looks_negative(magnitude)) put(0);
  for (const char byte : magnitude) put(byte);
}

}  // namespace headgate::identity
