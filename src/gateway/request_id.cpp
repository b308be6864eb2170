#include "request_id.hpp"

#include <array>
#include <chrono>
#include <random>

namespace headgate::gateway {
namespace {

constexpr auto kSane = [] {
  std::array<bool, 256> out{};
  for (const char c : std::string_view("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_.")) {
    out[static_cast<unsigned char>(c)] = true;
  }
  return out;
}();

bool sane(std::string_view id) noexcept {
  if (id.empty() || id.size() > 128) return false;
  for (const char c : id) {
    if (!kSane[static_cast<unsigned char>(c)]) return false;
  }
  return true;
}

// 40 bits of milliseconds (35 years), then 40 bits that start anywhere and count on: two workers meet at odds of 2^-40
// a millisecond.
std::string_view fresh(TextArena& text) {
  thread_local std::uint64_t counter = std::random_device{}() | (std::uint64_t{std::random_device{}()} << 32);
  const auto time =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch());
  const auto stamp = static_cast<std::uint64_t>(time.count());
  ++counter;
  std::array<char, 16> id{};
  for (std::size_t i = 0; i < 8; ++i) {
    constexpr std::string_view kDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    id[i] = kDigits[(stamp >> (35 - 5 * i)) & 31];
    id[8 + i] = kDigits[(counter >> (35 - 5 * i)) & 31];
  }
  return text.join({std::string_view(id.data(), id.size())});
}

}  // namespace

std::string_view request_id(Exchange& x) {
  std::string_view given;
  std::size_t count = 0;
  for (const auto& field : x.request.fields) {
    if (field.id != http::Known::unknown || !http::same_word(field.name, "X-Request-Id")) continue;
    given = field.value;
    ++count;
  }
  return count == 1 && sane(given) ? given : fresh(x.text);
}

}  // namespace headgate::gateway
