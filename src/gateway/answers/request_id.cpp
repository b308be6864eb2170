#include "headgate/gateway/request_id.hpp"

#include <array>
#include <chrono>

namespace headgate::gateway {
namespace {

constexpr auto kValid = [] {
  std::array<bool, 256> out{};
  for (const char c : std::string_view("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_.")) {
    out[static_cast<unsigned char>(c)] = true;
  }
  return out;
}();

bool valid(std::string_view id) noexcept {
  if (id.empty() || id.size() > 128) return false;
  for (const char c : id) {
    if (!kValid[static_cast<unsigned char>(c)]) return false;
  }
  return true;
}

/// Ten bits as two base-32 digits.
constexpr auto kPairs = [] {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  std::array<std::array<char, 2>, 1024> out{};
  for (std::size_t bits = 0; bits < out.size(); ++bits) out[bits] = {kDigits[bits >> 5], kDigits[bits & 31]};
  return out;
}();

}  // namespace

// The id has 40 bits of milliseconds (35 years), then 40 bits of a counter with a random start. So two workers make the
// same id only with a probability of 2^-40 in each millisecond.
std::string_view RequestIds::fresh(Exchange& x) {
  const auto now = wall_.at(*x.clock, x.started);
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  const auto stamp = static_cast<std::uint64_t>(time.count());
  ++counter_;
  return x.text.write(16, [&](TextCursor& out) {
    for (std::size_t i = 0; i < 8; i += 2) out.word(kPairs[(stamp >> (30 - 5 * i)) & 1023]);
    for (std::size_t i = 0; i < 8; i += 2) out.word(kPairs[(counter_ >> (30 - 5 * i)) & 1023]);
  });
}

std::string_view RequestIds::of(Exchange& x) {
  std::string_view given;
  std::size_t count = 0;
  for (const auto& field : x.request.fields) {
    if (field.id != http::Known::unknown || !http::same_word(field.name, "X-Request-Id")) continue;
    given = field.value;
    ++count;
  }
  return count == 1 && valid(given) ? given : fresh(x);
}

}  // namespace headgate::gateway
