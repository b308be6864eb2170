#include "headgate/net/h2_fields.hpp"

#include <charconv>
#include <cstddef>
#include <string>

namespace headgate::net {
namespace {

using http::Known;

constexpr std::size_t kIds = static_cast<std::size_t>(Known::xref) + 1;  // the last of Beast's names

bool is_of_http1(Known id) noexcept {
  return id == Known::connection || id == Known::keep_alive || id == Known::proxy_connection ||
         id == Known::transfer_encoding || id == Known::upgrade || id == Known::te || id == Known::host;
}

/// Returns whether a field is not put into the HPACK table. There are two reasons: its value differs in nearly every
/// head, so that a table entry would not be used again; or it is a secret that could be guessed by means of the table
/// (RFC 7541 section 7.1.3).
bool stays_out_of_table(Known id) noexcept {
  return id == Known::authorization || id == Known::content_length || id == Known::cookie || id == Known::etag ||
         id == Known::retry_after || id == Known::set_cookie;
}

/// The HTTP/2 names of the well-known fields. They are static, so nghttp2 need not copy them.
struct KnownNames {
  struct Row {
    std::string name;
    unsigned flags = 0;
    bool left_out = false;
  };
  std::array<Row, kIds> rows;

  KnownNames() {
    for (std::size_t at = 1; at < kIds; ++at) {
      const auto id = static_cast<Known>(at);
      const auto name = boost::beast::http::to_string(id);
      rows[at].name = lower(std::string_view(name.data(), name.size()));
      rows[at].flags = NGHTTP2_NV_FLAG_NO_COPY_NAME;
      if (stays_out_of_table(id)) rows[at].flags |= NGHTTP2_NV_FLAG_NO_INDEX;
      rows[at].left_out = is_of_http1(id);
    }
  }
};

const KnownNames kKnown;

bool begins_with(std::string_view name, std::string_view word) noexcept {
  return same_word(name.substr(0, word.size()), word);
}

/// Returns whether the field's value is a secret. Also called for names without an id, which come from configurations.
bool is_secret(std::string_view name) noexcept {
  return same_word(name, "authorization") || same_word(name, "cookie") || same_word(name, "set-cookie");
}

/// Returns whether the value of a field without an id differs in nearly every head. None of the names here is a secret.
/// Decides first by the first letter, in which most names differ.
bool is_new_each_time(std::string_view name) noexcept {
  switch (name.empty() ? '\0' : lower(name.front())) {
    case 'r':
      return begins_with(name, "retry-after") || begins_with(name, "ratelimit");
    case 't':
      return same_word(name, "traceparent");
    case 'x':
      return same_word(name, "x-request-id") || begins_with(name, "x-ratelimit");
    default:
      return false;
  }
}

std::uint8_t* bytes_of(std::string_view text) noexcept {
  // nghttp2 does not change the bytes.
  return reinterpret_cast<std::uint8_t*>(
      const_cast<char*>(text.data()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

}  // namespace

void H2Fields::push(std::string_view name, std::string_view value, unsigned flags) {
  list_.push_back({bytes_of(name), bytes_of(value), name.size(), value.size(), static_cast<std::uint8_t>(flags)});
}

void H2Fields::add(const http::Fields& fields) {
  for (const auto& field : fields) {
    if (field.id == Known::unknown) {
      const bool out = is_secret(field.name) || (!leaves_names_ && is_new_each_time(field.name));
      push(field.name, field.value, out ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE);
      continue;
    }
    const auto& known = kKnown.rows[static_cast<std::size_t>(field.id)];
    if (!known.left_out) push(known.name, field.value, known.flags);
  }
}

H2Digits::H2Digits(std::uint64_t number) noexcept
    : size_(static_cast<std::size_t>(std::to_chars(text_.data(), text_.data() + text_.size(), number).ptr -
                                     text_.data())) {}

}  // namespace headgate::net
