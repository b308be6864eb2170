#include "line_rules.hpp"

#include <array>
#include <charconv>
#include <limits>

namespace headgate::http::h1 {
namespace {

constexpr std::array<bool, 256> kSuspect = [] {
  std::array<bool, 256> out{};
  for (unsigned c = 0; c < 0x20; ++c) out[c] = c != '\t';
  out[0x7f] = true;
  return out;
}();

// A larger length would overflow the signed 64-bit numbers that many servers use.
constexpr std::uint64_t kMaxLength = std::numeric_limits<std::int64_t>::max();

}  // namespace

const char* refused_lines(std::string_view bytes) noexcept {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    if (!kSuspect[c]) continue;
    if (c == '\n') return "a line ends in LF without CR";
    if (c != '\r') return "the head contains a control character";
    if (i + 1 == bytes.size() || bytes[i + 1] != '\n') return "a CR without LF";
    ++i;
    if (i + 1 < bytes.size() && (bytes[i + 1] == ' ' || bytes[i + 1] == '\t'))
      return "a line begins with white space (folding)";
  }
  return nullptr;
}

FramingRules framing_rules(const Fields& fields, unsigned version) noexcept {
  FramingRules rules;
  for (const auto& [id, name, value] : fields) {
    if (id == Known::transfer_encoding) {
      if (rules.chunked) rules.refused = "Transfer-Encoding occurs twice";
      if (!same_word(value, "chunked")) rules.refused = "Transfer-Encoding is not exactly chunked";
      if (version < 11) rules.refused = "Transfer-Encoding in HTTP/1.0";
      rules.chunked = true;
    } else if (id == Known::content_length) {
      if (rules.has_length) rules.refused = "Content-Length occurs twice";
      rules.has_length = true;
      const auto* end = value.data() + value.size();
      const auto [stop, error] = std::from_chars(value.data(), end, rules.length);
      if (value.empty() || error != std::errc{} || stop != end || (value.size() > 1 && value.front() == '0') ||
          rules.length > kMaxLength) {
        rules.refused = "Content-Length is not a plain number";
      }
    }
  }
  if (rules.chunked && rules.has_length) rules.refused = "Transfer-Encoding and Content-Length together";
  return rules;
}

ConnectionOptions connection_options(const Fields& fields) noexcept {
  ConnectionOptions options;
  for (const auto& [id, name, value] : fields) {
    if (id != Known::connection) continue;
    std::string_view list = value;
    for (std::string_view member; next_member(list, member);) {
      if (same_word(member, "close"))
        options.close = true;
      else if (same_word(member, "keep-alive"))
        options.keep_alive = true;
      else if (same_word(member, "upgrade"))
        options.upgrade = true;
      else
        ++options.names;
    }
  }
  return options;
}

}  // namespace headgate::http::h1
