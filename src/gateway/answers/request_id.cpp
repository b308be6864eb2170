#include "headgate/gateway/request_id.hpp"

#include <array>
#include <chrono>
#include <cstring>
#include <random>

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

/// Ten bits as two digits of base 32.
constexpr auto kPairs = [] {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  std::array<std::array<char, 2>, 1024> out{};
  for (std::size_t bits = 0; bits < out.size(); ++bits) out[bits] = {kDigits[bits >> 5], kDigits[bits & 31]};
  return out;
}();

/// The wall clock's time at a moment of the steady clock. The difference of both is measured only now and then: an id
/// needs no more, and one reading of a clock costs as much as the rest of the id.
class WallOfSteady {
 public:
  Instant at(const Clock& clock, Clock::Steady moment) noexcept {
    if (until_next_-- == 0) {
      ahead_ =
          clock.wall().time_since_epoch() - std::chrono::duration_cast<Duration>(clock.steady().time_since_epoch());
      until_next_ = kEvery;
    }
    return Instant(std::chrono::duration_cast<Duration>(moment.time_since_epoch()) + ahead_);
  }

 private:
  static constexpr unsigned kEvery = 1024;
  unsigned until_next_ = 0;
  Duration ahead_{0};
};

// 40 bits of milliseconds (35 years), then 40 bits of a counter with a random start: two workers make the same id with
// a probability of 2^-40 in each millisecond.
std::string_view fresh(Exchange& x) {
  thread_local std::uint64_t counter = std::random_device{}() | (std::uint64_t{std::random_device{}()} << 32);
  thread_local WallOfSteady wall;
  const auto now = wall.at(*x.clock, x.started);
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  const auto stamp = static_cast<std::uint64_t>(time.count());
  ++counter;
  return x.text.write(16, [&](TextCursor& out) {
    char* const id = out.at();
    for (std::size_t i = 0; i < 8; i += 2) {
      std::memcpy(id + i, kPairs[(stamp >> (30 - 5 * i)) & 1023].data(), 2);
      std::memcpy(id + 8 + i, kPairs[(counter >> (30 - 5 * i)) & 1023].data(), 2);
    }
    out.at(id + 16);
  });
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
  return count == 1 && valid(given) ? given : fresh(x);
}

}  // namespace headgate::gateway
