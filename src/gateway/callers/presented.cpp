#include "presented.hpp"

#include "caller_parts.hpp"

#include "headgate/http/named_values.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

using http::Field;
using http::Fields;
using http::Known;

constexpr std::string_view kAuthorization = "authorization";

/// Collects the values from the places of a credential.
class Search {
 public:
  void add(const http::NamedValue& found) {
    if (found.twice) result_.twice = true;
    add(found.value);
  }
  /// Adds a value from one of several fields with the same meaning: equal texts in two of these fields are one
  /// credential.
  void add_unless_same(const http::NamedValue& found) {
    if (found.twice || found.value != result_.text) add(found);
  }
  void add(std::string_view text) {
    if (text.empty()) return;
    result_.twice = result_.twice || !result_.text.empty();
    result_.text = text;
  }
  const Presented& result() const noexcept { return result_; }

 private:
  Presented result_;
};

http::NamedValue decoded(Exchange& x, http::NamedValue found) {
  if (found.value.find_first_of("%+") == found.value.npos) return found;
  std::string plain;
  if (http::decode_parameter(found.value, plain)) found.value = x.text.join({plain});
  return found;
}

bool is_bearer(const Field& field) noexcept { return !identity::bearer_token(field.value).empty(); }

/// Returns the API key in a field. In Authorization, the key may follow the scheme "Bearer", as the clients of many
/// APIs send it.
std::string_view key_in(const std::string& name, std::string_view value) noexcept {
  if (name != kAuthorization) return value;
  if (const auto bearer = identity::bearer_token(value); !bearer.empty()) return bearer;
  return http::same_word(value, "Bearer") ? std::string_view() : value;
}

bool is_key_field(std::string_view name, const identity::ApiKeyOptions& options) noexcept {
  return std::any_of(options.headers.begin(), options.headers.end(),
                     [name](const std::string& each) { return http::same_variable(name, each); });
}

/// Removes the cookie from each Cookie field, and removes fields that become empty.
void drop_cookie(Exchange& x, std::string_view name, Fields& fields) {
  for (auto& field : fields) {
    if (field.id == Known::cookie) field.value = x.text.join({http::without_cookie(field.value, name)});
  }
  std::erase_if(fields, [](const Field& field) { return field.id == Known::cookie && field.value.empty(); });
}

/// Returns whether the value can be sent in a field unchanged: it is not empty and has no blanks at its ends (RFC 9110
/// section 5.5).
bool fits_in_field(std::string_view value) noexcept {
  return !value.empty() && value.front() != ' ' && value.back() != ' ';
}

void append_claims(Exchange& x, const identity::JwtOptions& options, Fields& fields) {
  for (const auto& [name, claim] : options.claim_headers) {
    std::erase_if(fields, [&name = name](const Field& field) { return http::same_variable(field.name, name); });
    const auto value = x.caller.claim(claim);
    if (fits_in_field(value)) fields.push_back({Known::unknown, name, value});
  }
}

void append_key_owner(Exchange& x, const identity::ApiKeyOptions& options, Fields& fields) {
  for (const auto& [name, part] : options.caller_headers) {
    std::erase_if(fields, [&name = name](const Field& field) { return http::same_variable(field.name, name); });
    const auto value = key_part(x, part);
    if (fits_in_field(value)) fields.push_back({Known::unknown, name, value});
  }
}

void append_certificate(const Exchange& x, const identity::IdentityOptions& options, Fields& fields) {
  for (const auto& [name, part] : options.certificate_headers) {
    std::erase_if(fields, [&name = name](const Field& field) { return http::same_variable(field.name, name); });
    const auto value = certificate_part(x, part);
    if (fits_in_field(value)) fields.push_back({Known::unknown, name, value});
  }
}

/// Returns whether servers may read `field` as the field called `name` although it is spelt differently.
bool is_twin(const Field& field, std::string_view name) noexcept {
  return http::same_variable(field.name, name) && !http::same_word(field.name, name);
}

/// Removes fields that servers may confuse with a field that was checked here. The values of the removed fields were
/// not checked.
void drop_twins(const Exchange& x, const identity::IdentityOptions& options, Fields& fields) {
  const bool keys = options.api_key.written || (x.route && x.route->reads.has(Needs::api_key));
  std::erase_if(fields, [&](const Field& field) {
    if (field.id != Known::unknown) return false;
    const auto twin = [&](const std::string& read) { return is_twin(field, read); };
    const auto& headers = options.api_key.headers;
    if (keys && std::any_of(headers.begin(), headers.end(), twin)) return true;
    if (options.jwt && twin(options.jwt->header)) return true;
    return x.route && std::any_of(x.route->counted_headers.begin(), x.route->counted_headers.end(), twin);
  });
}

bool withholds_key(const identity::ApiKeyOptions& options) noexcept { return options.written && !options.pass_on; }

}  // namespace

Presented presented_key(Exchange& x, const identity::ApiKeyOptions& options) {
  Search search;
  for (const auto& name : options.headers) {
    auto found = http::field_of(x.request.fields, name);
    found.value = key_in(name, found.value);
    search.add_unless_same(found);
  }
  if (!options.query.empty()) search.add(decoded(x, http::query_parameter(x.request.query, options.query)));
  if (!options.cookie.empty()) search.add(http::cookie_of(x.request.fields, options.cookie));
  return search.result();
}

Presented presented_token(Exchange& x, const identity::JwtOptions& options) {
  Search search;
  auto in_field = http::field_of(x.request.fields, options.header);
  // In a field other than Authorization, the scheme "Bearer" may be missing.
  const auto bearer = identity::bearer_token(in_field.value);
  if (options.header == kAuthorization || !bearer.empty()) in_field.value = bearer;
  search.add(in_field);
  if (!options.query.empty()) search.add(decoded(x, http::query_parameter(x.request.query, options.query)));
  if (!options.cookie.empty()) search.add(http::cookie_of(x.request.fields, options.cookie));
  return search.result();
}

void forward_identity(Exchange& x, const identity::IdentityOptions& options, Fields& fields) {
  drop_twins(x, options, fields);
  append_certificate(x, options, fields);
  const auto& key = options.api_key;
  append_key_owner(x, key, fields);
  if (withholds_key(key)) {
    std::erase_if(fields, [&](const Field& field) { return is_key_field(field.name, key); });
    if (!key.cookie.empty()) drop_cookie(x, key.cookie, fields);
  }
  if (!options.jwt) return;
  const auto& jwt = *options.jwt;
  if (!jwt.pass_on) {
    std::erase_if(fields, [&](const Field& field) {
      return http::same_variable(field.name, jwt.header) && (jwt.header != kAuthorization || is_bearer(field));
    });
    if (!jwt.cookie.empty()) drop_cookie(x, jwt.cookie, fields);
  }
  append_claims(x, jwt, fields);
}

bool is_identity_field(const Field& field, const identity::IdentityOptions& options) noexcept {
  const auto named = [&field](std::string_view name) { return http::same_variable(field.name, name); };
  if (field.id == Known::authorization || field.id == Known::cookie) return true;
  if (options.api_key.written && is_key_field(field.name, options.api_key)) return true;
  const auto& parts = options.certificate_headers;
  if (std::any_of(parts.begin(), parts.end(), [&](const auto& each) { return named(each.first); })) return true;
  const auto& owners = options.api_key.caller_headers;
  if (std::any_of(owners.begin(), owners.end(), [&](const auto& each) { return named(each.first); })) return true;
  if (!options.jwt) return false;
  const auto& claims = options.jwt->claim_headers;
  return named(options.jwt->header) ||
         std::any_of(claims.begin(), claims.end(), [&](const auto& each) { return named(each.first); });
}

std::string_view forwarded_query(Exchange& x, const identity::IdentityOptions& options) {
  auto query = x.request.query;
  const auto drop = [&](const std::string& name) {
    if (!name.empty() && !query.empty()) query = x.text.join({http::without_parameter(query, name)});
  };
  if (withholds_key(options.api_key)) drop(options.api_key.query);
  if (options.jwt && !options.jwt->pass_on) drop(options.jwt->query);
  return query;
}

}  // namespace headgate::gateway
