#include "headgate/http/retry_after.hpp"

#include "headgate/core/text.hpp"
#include "headgate/http/date.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace headgate::http {
namespace {

/// Digits only; beyond what fits, the largest.
std::optional<std::int64_t> read_number_of_wait(std::string_view text) noexcept {
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  std::int64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{}) return INT64_MAX;
  return number;
}

}  // namespace

std::optional<Duration> read_retry_after(std::string_view value, Instant now, Duration most) noexcept {
  const auto text = trimmed(value);
  if (const auto seconds = read_number_of_wait(text)) {
    const auto longest = std::chrono::duration_cast<std::chrono::seconds>(most).count();
    return std::chrono::seconds(std::min<std::int64_t>(*seconds, longest));
  }
  const auto date = read_http_date(text);
  if (!date) return std::nullopt;
  return std::clamp<Duration>(*date - now, Duration(0), most);
}

}  // namespace headgate::http
