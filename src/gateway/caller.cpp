// Who is asking: address, API key and token claims of an exchange.

#include "headgate/gateway/gateway.hpp"
#include "headgate/identity/client_address.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

constexpr std::size_t kMostForwardedFields = 16;

std::string_view challenge_of(identity::JwtError error) noexcept {
  // RFC 6750 section 3.1: an honest caller learns that the token is at fault and when it is merely old, nobody learns
  // more.
  return error == identity::JwtError::expired
             ? R"(Bearer error="invalid_token", error_description="the token has expired")"
             : R"(Bearer error="invalid_token")";
}

}  // namespace

Gateway::Step Gateway::identify(Exchange& x) {
  const auto& options = x.snapshot->site->identity();
  x.caller.address = x.peer;
  x.caller.through_trusted = !options.trusted_proxies.empty() && identity::contains(options.trusted_proxies, x.peer);
  if (x.caller.through_trusted) {
    std::array<std::string_view, kMostForwardedFields> forwarded;
    std::size_t count = 0;
    for (const auto& field : x.request.fields) {
      if (!http::same_word(field.name, "X-Forwarded-For")) continue;
      // The last fields are the nearest hops: what does not fit is the far end.
      if (count == forwarded.size()) std::move(forwarded.begin() + 1, forwarded.end(), forwarded.begin()), --count;
      forwarded[count++] = field.value;
    }
    x.caller.address = identity::client_address(x.peer, {forwarded.data(), count}, options.trusted_proxies);
  }
  std::array<char, 64> buffer{};
  x.caller.ip_subject = x.text.join({identity::client_ip_subject(x.caller.address, options.ipv6_prefix, buffer)});
  x.caller.api_key = http::value_of(x.request.fields, std::string_view(options.api_key_header));
  x.caller.known_key = x.snapshot->site->api_keys().find(x.caller.api_key);
  for (const auto& name : x.route->counted_headers) {
    const auto named = [&name](const http::Field& field) { return http::same_word(field.name, name); };
    if (std::count_if(x.request.fields.begin(), x.request.fields.end(), named) > 1) {
      return Problem{400, EndedBy::bad_request, "A header that requests are counted by stands twice.", {}, 0, {}};
    }
  }
  return {};
}

Gateway::Step Gateway::authenticate(Exchange& x) {
  const auto& route = *x.route;
  if (route.require == Require::api_key && x.caller.api_key.empty()) {
    return Problem{401, EndedBy::auth, "An API key is required here.", {}, 0, "ApiKey"};
  }
  if (!route.reads_token || !x.snapshot->site->jwt()) return {};
  if (std::count_if(x.request.fields.begin(), x.request.fields.end(),
                    [](const http::Field& field) { return field.id == http::Known::authorization; }) > 1) {
    // Two readers could each believe another one.
    return Problem{
        401, EndedBy::auth, "There is more than one Authorization field.", {}, 0, R"(Bearer error="invalid_request")"};
  }
  const auto token = identity::bearer_token(http::value_of(x.request.fields, http::Known::authorization));
  if (token.empty()) {
    if (route.require != Require::jwt) return {};
    return Problem{401, EndedBy::auth, "A bearer token is required here.", {}, 0, "Bearer"};
  }
  auto claims = x.snapshot->site->jwt()->verify(token, now());
  if (claims.has_error()) {
    return Problem{401, EndedBy::auth, "The bearer token was not accepted.", {}, 0, challenge_of(claims.error())};
  }
  x.caller.claims = std::move(*claims);
  return {};
}

}  // namespace headgate::gateway
