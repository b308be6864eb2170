#include "hsts.hpp"

#include "gateway/callers/forwarding_headers.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

constexpr auto kField = http::Known::strict_transport_security;

}  // namespace

void append_hsts(const Exchange& x, http::Fields& fields) {
  const auto& compiled = *x.snapshot->compiled;
  if (!client_uses_tls(x, compiled.identity().address_field)) return;
  fields.push_back({kField, "Strict-Transport-Security", compiled.hsts()});
}

void replace_hsts(const Exchange& x, http::Fields& fields) {
  std::erase_if(fields, [](const http::Field& field) { return field.id == kField; });
  append_hsts(x, fields);
}

}  // namespace headgate::gateway
