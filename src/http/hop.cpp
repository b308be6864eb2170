#include "headgate/http/hop.hpp"

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

/// Fields that a client may not have removed on the way by naming them in Connection.
constexpr bool kept_whatever_connection_says(Known id) noexcept {
  return id == Known::host || id == Known::cache_control || id == Known::authorization || id == Known::cookie;
}

bool named_in_connection(const Fields& fields, const Field& candidate) noexcept {
  if (kept_whatever_connection_says(candidate.id)) return false;
  for (const auto& field : fields) {
    if (field.id == Known::connection && lists(field.value, candidate.name)) return true;
  }
  return false;
}

/// Whether Connection names anything but its own everyday words: only then each field must be compared.
bool connection_names_fields(const Fields& fields) noexcept {
  for (const auto& field : fields) {
    if (field.id != Known::connection) continue;
    std::string_view list = field.value;
    for (std::string_view member; next_member(list, member);) {
      if (!same_word(member, "keep-alive") && !same_word(member, "close") && !same_word(member, "upgrade")) return true;
    }
  }
  return false;
}

}  // namespace

void append_end_to_end(const Fields& fields, Fields& out) {
  const bool compare = connection_names_fields(fields);
  for (const auto& field : fields) {
    if (hops(field.id) || (compare && named_in_connection(fields, field))) continue;
    out.push_back(field);
  }
}

}  // namespace headgate::http
