#include "headgate/net/h2_fields.hpp"

#include <charconv>

namespace headgate::net {
namespace {

std::uint8_t* bytes_of(std::string_view text) noexcept {
  // nghttp2 only reads them.
  return reinterpret_cast<std::uint8_t*>(
      const_cast<char*>(text.data()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

/// Fields that are new in nearly every head: what they leave in the table serves no later one.
bool changes_each_time(std::string_view lower) noexcept {
  return lower == "x-request-id" || lower == "retry-after" || lower == "content-length" || lower == "etag" ||
         lower == "traceparent" || lower.starts_with("ratelimit") || lower.starts_with("x-ratelimit");
}

/// They stay out of tables from which they could be guessed (RFC 7541 section 7.1.3).
bool is_secret_field(std::string_view lower) noexcept {
  return lower == "set-cookie" || lower == "authorization" || lower == "cookie";
}

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
  std::uint8_t flags = NGHTTP2_NV_FLAG_NONE;
  if (changes_each_time(name) || is_secret_field(name)) flags |= NGHTTP2_NV_FLAG_NO_INDEX;
  list_.push_back({bytes_of(name), bytes_of(value), name.size(), value.size(), flags});
}

void H2Fields::add(const http::Fields& fields) {
  for (const auto& field : fields) {
    if (is_of_http1(field.id)) continue;
    const auto at = names_.size();
    for (const char c : field.name) names_ += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    add(std::string_view(names_).substr(at), field.value);
  }
}

H2Digits::H2Digits(std::uint64_t number) noexcept
    : size_(static_cast<std::size_t>(std::to_chars(text_.data(), text_.data() + text_.size(), number).ptr -
                                     text_.data())) {}

}  // namespace headgate::net
