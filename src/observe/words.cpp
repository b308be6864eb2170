#include "words.hpp"

#include "headgate/core/json_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

namespace headgate::observe {
namespace {

/// `number` in `width` digits.
template <std::size_t width>
void append_digits(std::string& out, std::uint64_t number) {
  std::array<char, width> digits;
  for (std::size_t i = width; i > 0; --i) {
    digits[i - 1] = static_cast<char>('0' + number % 10);
    number /= 10;
  }
  out.append(digits.data(), width);
}

}  // namespace

void append_time(std::string& out, Instant at) {
  constexpr std::int64_t kSecond = 1'000'000;
  thread_local std::int64_t made_of = -1;
  thread_local std::array<char, 32> text;
  thread_local std::size_t size = 0;
  const std::int64_t since = at.time_since_epoch().count();
  if (const auto second = since / kSecond; second != made_of) {
    const auto seconds = static_cast<std::time_t>(second);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S.", &parts);
    made_of = second;
  }
  out.append(text.data(), size);
  append_digits<6>(out, static_cast<std::uint64_t>(since % kSecond));
  out += 'Z';
}

void append_number(std::string& out, std::uint64_t number) {
  std::array<char, 20> digits;
  const auto* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

void append_thousandths(std::string& out, std::uint64_t thousandths) {
  append_number(out, thousandths / 1000);
  out += '.';
  append_digits<3>(out, thousandths % 1000);
}

void append_value(std::string& out, std::string_view text) {
  const auto ambiguous = [](char c) { return c <= ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '='; };
  if (!text.empty() && std::none_of(text.begin(), text.end(), ambiguous)) {
    out += text;
    return;
  }
  out += '"';
  append_json_text(out, text);
  out += '"';
}

}  // namespace headgate::observe
