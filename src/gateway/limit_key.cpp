#include "limit_key.hpp"

#include "headgate/http/named_values.hpp"
#include "headgate/http/path.hpp"
#include "headgate/identity/sha256.hpp"

#include <array>

namespace headgate::gateway {
namespace {

constexpr std::size_t kMaxKey = 256;

/// Whom an HTTP/1.0 request without Host is for, together. No host is called so.
constexpr std::string_view kNoHost = "(none)";

/// The segment of `path` that stands where `pattern` has {name}, without its own parameters, as the router reads it.
std::string_view path_parameter(std::string_view pattern, std::string_view path, std::string_view name) noexcept {
  while (!pattern.empty()) {
    const auto wanted = http::next_segment(pattern);
    const auto segment = http::next_segment(path);
    const bool here =
        wanted.size() == name.size() + 2 && wanted.front() == '{' && wanted.substr(1, name.size()) == name;
    if (here) return segment.substr(0, segment.find(';'));
  }
  return {};
}

/// Where the server behind takes letters of either case for the same, they name the same thing.
std::string_view path_value(Exchange& x, std::string_view name) {
  const auto value = path_parameter(x.route->path, x.request.path, name);
  return x.route->ignore_case ? x.text.join({http::fold_case(value)}) : value;
}

/// With several issuers a claim is one of its own: each may call somebody "alice" (RFC 7519 section 4.1.2). No claim
/// has a control character.
std::string_view claim_of(Exchange& x, std::string_view name) {
  const auto value = x.caller.claim(name);
  if (value.empty() || x.caller.issuer.empty()) return value;
  return x.text.join({x.caller.issuer, "\x1f", value});
}

std::string_view value_of(Exchange& x, const limit::Per& per) {
  using Kind = limit::Per::Kind;
  switch (per.kind) {
    case Kind::client_ip:
      return x.caller.ip_key;
    case Kind::api_key:
      return x.caller.api_key_text;
    case Kind::jwt_claim:
      return claim_of(x, per.name);
    case Kind::header:
      return http::value_of(x.request.fields, std::string_view(per.name));
    case Kind::cookie: {
      const auto cookie = http::cookie_of(x.request.fields, per.name);
      // A session's cookie is as good as its password.
      if (cookie.twice || cookie.value.empty()) return {};
      return digest_text(x.text, identity::sha256(cookie.value));
    }
    case Kind::path:
      return path_value(x, per.name);
    case Kind::method:
      return x.request.method;
    case Kind::route:
      return x.route->name;
    case Kind::host:
      return x.request.host.empty() ? kNoHost : std::string_view(x.request.host);
    case Kind::upstream:
      return x.route->respond ? std::string_view(x.route->name) : std::string_view(x.route->upstream_name);
    case Kind::total:
      return "total";
  }
  return {};
}

/// Escapes '|' and '%' in a value that is one of several, so that ("a|b", "c") and ("a", "b|c") are different keys.
std::string_view part(TextArena& arena, std::string_view value) {
  if (value.find_first_of("|%") == std::string_view::npos) return value;
  std::string out;
  for (const char c : value) {
    if (c == '|')
      out += "%7C";
    else if (c == '%')
      out += "%25";
    else
      out += c;
  }
  return arena.join({out});
}

/// A byte as two digits.
constexpr auto kHex = [] {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<std::array<char, 2>, 256> out{};
  for (std::size_t byte = 0; byte < out.size(); ++byte) out[byte] = {kDigits[byte >> 4], kDigits[byte & 15]};
  return out;
}();

}  // namespace

std::string_view digest_text(TextArena& arena, const identity::Sha256& digest) {
  constexpr std::size_t kBytes = 16;
  return arena.write(1 + 2 * kBytes, [&digest](TextCursor& out) {
    out.character('~');
    for (std::size_t i = 0; i < kBytes; ++i) out.text({kHex[digest[i]].data(), 2});
  });
}

const limit::Per* first_absent(Exchange& x, const std::vector<limit::Per>& per) {
  for (const auto& each : per)
    if (value_of(x, each).empty()) return &each;
  return nullptr;
}

std::optional<std::string_view> key_of(Exchange& x, const std::vector<limit::Per>& per) {
  std::string_view key;
  for (std::size_t i = 0; i < per.size(); ++i) {
    const auto value = value_of(x, per[i]);
    if (value.empty()) return std::nullopt;
    if (per.size() == 1) {
      key = value;
    } else {
      key = i == 0 ? part(x.text, value) : x.text.join({key, "|", part(x.text, value)});
    }
  }
  return key.size() <= kMaxKey ? key : digest_text(x.text, identity::sha256(key));
}

}  // namespace headgate::gateway
