#include "headgate/gateway/logged_fields.hpp"

#include "headgate/core/text.hpp"
#include "headgate/core/text_arena.hpp"
#include "headgate/envoy/call_text.hpp"
#include "headgate/http/field_names.hpp"
#include "headgate/http/named_values.hpp"
#include "headgate/observe/access_field.hpp"
#include "headgate/observe/logs.hpp"

#include <algorithm>
#include <array>

namespace headgate::gateway {
namespace {

/// The longest part of a value that is kept: slightly more than a log line shows, so that the line can mark the value
/// as cut.
constexpr std::size_t kMaxValueBytes = 300;
constexpr std::size_t kMaxQueryBytes = 1'600;

struct Secret {
  std::string_view name, why;
};
constexpr std::string_view kCredential = "it is a credential, and anyone who reads the log could act as its owner";
constexpr std::string_view kTicket = "it is a ticket: whoever reads the log could take its owner's place";
constexpr std::array kSecrets{Secret{"authorization", kCredential}, Secret{"proxy-authorization", kCredential},
                              Secret{"cookie", kCredential},        Secret{"cookie2", kCredential},
                              Secret{"set-cookie", kCredential},    Secret{"set-cookie2", kCredential},
                              Secret{"x-api-key", kCredential},     Secret{"api-key", kCredential},
                              Secret{"x-auth-token", kCredential},  Secret{"x-csrf-token", kCredential},
                              Secret{"x-xsrf-token", kCredential},  Secret{"x-amz-security-token", kCredential},
                              Secret{"appointment", kTicket},       Secret{"waiting-room-ticket", kTicket}};

/// Returns whether the value is an address, whose query may contain a secret.
bool is_address(std::string_view name) noexcept {
  return name == "referer" || name == "location" || name == "content-location";
}

std::string_view shown(std::string_view name, std::string_view value) noexcept {
  return is_address(name) ? value.substr(0, value.find_first_of("?#")) : value;
}

/// Returns whether `word` is one of `masked`. PHP reads "api.key" and "api key" as "api_key", so all three count as
/// equal.
bool is_among(std::string_view word, const std::vector<std::string>& masked) {
  auto name = lower(trimmed(word));
  if (std::ranges::binary_search(masked, name)) return true;
  std::ranges::replace_if(
      name, [](char c) { return c == '.' || c == ' '; }, '_');
  return std::ranges::binary_search(masked, name);
}

bool is_masked(std::string_view name, const std::vector<std::string>& masked) {
  std::string plain;
  if (!http::decode_parameter(name, plain)) return true;  // a server may decode a name that headgate cannot decode
  auto rest = std::string_view(plain).substr(0, plain.find('\0'));
  while (!rest.empty()) {
    const auto end = std::min(rest.find_first_of("[]"), rest.size());
    if (is_among(rest.substr(0, end), masked)) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

/// Appends the text between two "&". Some servers read ";" as the end of a parameter, others as a part of the value, so
/// a secret is masked to the end of the piece.
void append_masked(std::string_view piece, const std::vector<std::string>& masked, std::string& out) {
  while (!piece.empty()) {
    const auto end = std::min(piece.find(';'), piece.size());
    const auto part = piece.substr(0, end);
    const auto equals = part.find('=');
    const auto name = part.substr(0, equals);
    out += name;
    if (equals != part.npos) {
      out += '=';
      if (is_masked(name, masked)) {
        out += "***";
        return;
      }
      out += part.substr(equals + 1);
    }
    if (end < piece.size()) out += ';';
    piece.remove_prefix(std::min(end + 1, piece.size()));
  }
}

}  // namespace

std::vector<std::string> usual_secrets() {
  return {"access_token",
          "api-key",
          "api_key",
          "apikey",
          "assertion",
          "auth",
          "authorization",
          "client_assertion",
          "client_secret",
          "code",
          "id_token",
          "jwt",
          "key",
          "passwd",
          "password",
          "pwd",
          "refresh_token",
          "secret",
          "session",
          "sid",
          "sig",
          "signature",
          "ticket",
          "token",
          "x-amz-credential",
          "x-amz-security-token",
          "x-amz-signature",
          "x-goog-credential",
          "x-goog-signature"};
}

std::string_view why_not_logged(std::string_view name) noexcept {
  const auto* const found =
      std::ranges::find_if(kSecrets, [name](const Secret& each) { return http::same_variable(name, each.name); });
  return found == kSecrets.end() ? std::string_view{} : found->why;
}

void append_logged(const std::vector<LoggedFields::Field>& wanted, const http::Fields& fields, TextArena& text,
                   LoggedValues& out) {
  for (const auto& each : wanted) {
    std::string_view value;
    bool several = false;
    for (const auto& field : fields) {
      if (!http::same_word(field.name, each.name) || value.size() >= kMaxValueBytes) continue;
      const auto more = shown(each.name, field.value).substr(0, kMaxValueBytes);
      value = several ? text.join({value, ", ", more}) : more;
      several = true;
    }
    // The fields of a message may no longer exist when its line is written.
    if (several) out.emplace_back(each.word, text.join({value}));
  }
}

std::string_view logged_call(const envoy::RateLimitRequest& request, const LoggedFields& wanted, TextArena& text) {
  auto shown = request;
  for (auto& descriptor : shown.descriptors)
    for (auto& [key, value] : descriptor.entries)
      if (!std::ranges::binary_search(wanted.shown_keys, key)) value = observe::key_id(value);
  const auto out = envoy::call_text(shown);
  return out.size() <= observe::kMaxCall ? text.join({out}) : std::string_view();
}

std::string_view masked_query(std::string_view query, const std::vector<std::string>& masked, TextArena& text) {
  if (query.starts_with('?')) query.remove_prefix(1);
  query = query.substr(0, kMaxQueryBytes);
  std::string out;
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    append_masked(query.substr(0, end), masked, out);
    if (end < query.size()) out += '&';
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return text.join({out});
}

}  // namespace headgate::gateway
