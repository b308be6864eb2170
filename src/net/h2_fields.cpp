#include "headgate/net/h2_fields.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace headgate::net {
namespace {

std::uint8_t* bytes_of(std::string_view text) noexcept {
  // nghttp2 only reads them.
  return reinterpret_cast<std::uint8_t*>(
      const_cast<char*>(text.data()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

/// Fields that are new in nearly every head: what they leave in the table serves no later one. And secrets: they stay
/// out of tables from which they could be guessed (RFC 7541 section 7.1.3). By the first letter, as most are neither.
bool stays_out_of_table(std::string_view lower) noexcept {
  switch (lower.empty() ? '\0' : lower.front()) {
    case 'a':
      return lower == "authorization";
    case 'c':
      return lower == "content-length" || lower == "cookie";
    case 'e':
      return lower == "etag";
    case 'r':
      return lower.starts_with("retry-after") || lower.starts_with("ratelimit");
    case 's':
      return lower == "set-cookie";
    case 't':
      return lower == "traceparent";
    case 'x':
      return lower == "x-request-id" || lower.starts_with("x-ratelimit");
    default:
      return false;
  }
}

bool is_capital(char c) noexcept { return c >= 'A' && c <= 'Z'; }

bool is_of_http1(http::Known id) noexcept {
  return id == http::Known::connection || id == http::Known::keep_alive || id == http::Known::proxy_connection ||
         id == http::Known::transfer_encoding || id == http::Known::upgrade || id == http::Known::te ||
         id == http::Known::host;
}

}  // namespace

H2Fields::H2Fields(std::string& names, const http::Fields& fields) : names_(names) {
  std::size_t size = 0;
  for (const auto& field : fields) size += field.name.size();
  names_.clear();
  names_.reserve(size);  // views into it must stay
  list_.reserve(fields.size() + 6);
}

void H2Fields::add(std::string_view name, std::string_view value) {
  const std::uint8_t flags = stays_out_of_table(name) ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE;
  list_.push_back({bytes_of(name), bytes_of(value), name.size(), value.size(), flags});
}

void H2Fields::add(const http::Fields& fields) {
  for (const auto& field : fields) {
    if (is_of_http1(field.id)) continue;
    // What came over HTTP/2 is in lower case.
    if (std::none_of(field.name.begin(), field.name.end(), is_capital)) {
      add(field.name, field.value);
      continue;
    }
    const auto at = names_.size();
    names_.append(field.name);
    for (auto c = names_.begin() + static_cast<std::ptrdiff_t>(at); c != names_.end(); ++c)
      if (is_capital(*c)) *c = static_cast<char>(*c + 32);
    add(std::string_view(names_).substr(at), field.value);
  }
}

H2Digits::H2Digits(std::uint64_t number) noexcept
    : size_(static_cast<std::size_t>(std::to_chars(text_.data(), text_.data() + text_.size(), number).ptr -
                                     text_.data())) {}

}  // namespace headgate::net
