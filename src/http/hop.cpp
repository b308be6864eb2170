#include "headgate/http/hop.hpp"

#include <algorithm>
#include <array>

namespace headgate::http {
namespace {

constexpr bool hops(Known id) noexcept {
  switch (id) {
    case Known::connection:
    case Known::keep_alive:
    case Known::proxy_connection:
    case Known::proxy_authenticate:
    case Known::proxy_authorization:
    case Known::te:
    case Known::trailer:
    case Known::transfer_encoding:
    case Known::upgrade:
    case Known::content_length:
    case Known::http2_settings:
      return true;
    default:
      return false;
  }
}

/// Returns whether a field stays even if Connection names it, because a client must not be able to make the gateway
/// remove it.
constexpr bool kept_whatever_connection_says(Known id) noexcept {
  return id == Known::host || id == Known::cache_control || id == Known::authorization || id == Known::cookie;
}

/// The fields that Connection names; "keep-alive", "close" and "upgrade" are options, not fields.
class Named {
 public:
  explicit Named(const Fields& fields) noexcept {
    for (const auto& field : fields) {
      if (field.id == Known::connection) add(field.value);
    }
  }
  bool has(const Field& field) const noexcept {
    if (count_ == 0 || kept_whatever_connection_says(field.id)) return false;
    const auto* const end = names_.data() + count_;
    return std::any_of(names_.data(), end, [&](std::string_view name) { return same_word(name, field.name); });
  }

 private:
  void add(std::string_view list) noexcept {
    for (std::string_view member; count_ < names_.size() && next_member(list, member);) {
      if (same_word(member, "keep-alive") || same_word(member, "close") || same_word(member, "upgrade")) continue;
      names_[count_++] = member;
    }
  }

  std::array<std::string_view, kMaxNamedInConnection> names_;
  std::size_t count_ = 0;
};

}  // namespace

void append_end_to_end(const Fields& fields, Fields& out) {
  const Named named(fields);
  for (const auto& field : fields) {
    if (!hops(field.id) && !named.has(field)) out.push_back(field);
  }
}

}  // namespace headgate::http
