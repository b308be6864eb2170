#include "hsts.hpp"

#include "gateway/callers/forwarding_headers.hpp"

namespace headgate::gateway {

void replace_hsts(const Exchange& x, http::Fields& fields) {
  constexpr auto kField = http::Known::strict_transport_security;
  std::erase_if(fields, [](const http::Field& field) { return field.id == kField; });
  const auto& compiled = *x.snapshot->compiled;
  if (client_uses_tls(x, compiled.identity().address_field))
    fields.push_back({kField, "Strict-Transport-Security", compiled.hsts()});
}

}  // namespace headgate::gateway
