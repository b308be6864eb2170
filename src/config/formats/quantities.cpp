// Parses fractions, shares and digests.

#include "config/text/report.hpp"
#include "formats.hpp"

#include "headgate/core/hex.hpp"
#include "headgate/core/whole_number.hpp"
#include "headgate/gateway/forwarding.hpp"
#include "headgate/shed/concurrency.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

constexpr std::uint32_t kMaxScale =
    1'000;  // multiplied by a year in microseconds, this still fits a signed 64-bit integer

Result<std::uint32_t, LiteralError> parse_percent(std::string_view text) {
  const auto digits = text.substr(0, text.find('%'));
  const auto percent = whole_number<std::uint32_t>(digits);
  if (!percent || digits.size() + 1 != text.size())
    return LiteralError{in_quotes(text) + " is not a share", R"(write a whole number and "%", as in "20%")"};
  return *percent;
}

}  // namespace

Result<Scale, LiteralError> parse_scale(std::string_view text) {
  const auto slash = text.find('/');
  const std::string form = R"(write "1/10" for a tenth, "2/1" for twice as much; each number from 1 to 1000)";
  const auto part = [](std::string_view written) { return whole_number<std::uint32_t>(written, 1, kMaxScale); };
  const auto up = part(text.substr(0, slash));
  const auto down = slash == std::string_view::npos ? std::nullopt : part(text.substr(slash + 1));
  if (!up || !down) return LiteralError{in_quotes(text) + " is not a scale", form};
  const Scale scale{*up, *down};
  if (scale.up == scale.down) return LiteralError{in_quotes(text) + " leaves the limit as it is", "leave it out"};
  return scale;
}

Result<std::uint32_t, LiteralError> parse_part(std::string_view text) {
  const auto percent = parse_percent(text);
  if (percent.has_error()) return percent.error();
  if (*percent == 0) return LiteralError{"0% is too small", R"(write at least "1%")"};
  if (*percent > 100) return LiteralError{in_quotes(text) + " is more than all", R"(write at most "100%")"};
  return *percent * (gateway::kWholeShare / 100);
}

Result<std::uint32_t, LiteralError> parse_sample(std::string_view text) {
  constexpr std::size_t kDecimals = 4;
  const auto mistake = LiteralError{in_quotes(text) + " is not a share", R"(write "1%", "0.1%" or "100%")"};
  if (!text.ends_with('%')) return mistake;
  const auto number = text.substr(0, text.size() - 1);
  const auto point = std::min(number.find('.'), number.size());
  std::string digits(number.substr(0, point));
  const auto decimals = number.substr(std::min(point + 1, number.size()));
  const bool whole = point == number.size();
  if (digits.empty() || digits.size() > 3 || (!whole && (decimals.empty() || decimals.size() > kDecimals)))
    return mistake;
  digits += std::string(decimals) + std::string(kDecimals - decimals.size(), '0');
  const auto millionths = whole_number<std::uint32_t>(digits);
  if (!millionths) return mistake;
  if (*millionths > gateway::kWholeShare)
    return LiteralError{in_quotes(text) + " is more than all", R"(write at most "100%")"};
  return *millionths;
}

Result<std::uint32_t, LiteralError> parse_share(std::string_view text) {
  const auto read = parse_percent(text);
  if (read.has_error()) return read.error();
  const auto percent = *read;
  if (percent == 0) return LiteralError{"a share of 0% is too small", "leave it out"};
  if (percent >= 100)
    return LiteralError{in_quotes(text) + " would leave nothing for requests that are not critical",
                        R"(write less than "100%")"};
  return percent * (shed::ConcurrencyOptions::kWhole / 100);
}

Result<identity::Sha256, LiteralError> parse_digest(std::string_view text) {
  identity::Sha256 digest{};
  if (read_hex(text, digest)) return digest;
  // The text is not quoted, because it may be the key itself, which must not get into a log.
  return LiteralError{"this is not a SHA-256, which is 64 hexadecimal digits",
                      "make one: printf %s \"$KEY\" | sha256sum"};
}

std::optional<LiteralError> check_share(std::string_view text) {
  const auto read = parse_share(text);
  return read.has_error() ? std::optional(read.error()) : std::nullopt;
}
std::optional<LiteralError> check_part(std::string_view text) {
  const auto read = parse_part(text);
  return read.has_error() ? std::optional(read.error()) : std::nullopt;
}
std::optional<LiteralError> check_scale(std::string_view text) {
  const auto read = parse_scale(text);
  return read.has_error() ? std::optional(read.error()) : std::nullopt;
}
std::optional<LiteralError> check_digest(std::string_view text) {
  const auto read = parse_digest(text);
  return read.has_error() ? std::optional(read.error()) : std::nullopt;
}

}  // namespace headgate::config
