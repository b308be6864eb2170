#include "subject.hpp"

#include "headgate/identity/sha256.hpp"

#include <array>

namespace headgate::gateway {
namespace {

constexpr std::size_t kMostSubject = 256;

/// 128 bits of SHA-256, in hex: the same in every gateway, and nobody finds a second key with it.
std::string_view digest(TextArena& arena, std::string_view text) {
  const auto hash = identity::sha256(text);
  std::array<char, 33> out{'~'};
  for (std::size_t i = 0; i < 16; ++i) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    out[1 + 2 * i] = kDigits[hash[i] >> 4];
    out[2 + 2 * i] = kDigits[hash[i] & 15];
  }
  return arena.join({std::string_view(out.data(), out.size())});
}

std::string_view lower_host(TextArena& arena, std::string_view authority) {
  std::string host(http::host_of(authority));
  for (char& c : host) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return arena.join({host});
}

std::string_view value_of(Exchange& x, const limit::Per& per, ApiKeyAs api_key) {
  using Kind = limit::Per::Kind;
  switch (per.kind) {
    case Kind::client_ip:
      return x.caller.ip_subject;
    case Kind::api_key:
      if (x.caller.api_key.empty() || api_key == ApiKeyAs::text) return x.caller.api_key;
      return digest(x.text, x.caller.api_key);
    case Kind::jwt_claim: {
      const auto at = x.caller.claims.find(per.name);
      return at == x.caller.claims.end() ? std::string_view{} : std::string_view(at->second);
    }
    case Kind::header:
      return http::value_of(x.request.fields, std::string_view(per.name));
    case Kind::route:
      return x.route->name;
    case Kind::host:
      return lower_host(x.text, x.request.authority);
    case Kind::upstream:
      return x.route->respond ? std::string_view(x.route->name) : std::string_view(x.route->upstream_name);
    case Kind::total:
      return "total";
  }
  return {};
}

/// A value as one part of several: '|' and '%' escaped, so that ("a|b", "c") and ("a", "b|c") stay apart.
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

}  // namespace

std::optional<std::string_view> subject_of(Exchange& x, const std::vector<limit::Per>& per, ApiKeyAs api_key) {
  std::string_view subject;
  for (std::size_t i = 0; i < per.size(); ++i) {
    const auto value = value_of(x, per[i], api_key);
    if (value.empty()) return std::nullopt;
    if (per.size() == 1) {
      subject = value;
    } else {
      subject = i == 0 ? part(x.text, value) : x.text.join({subject, "|", part(x.text, value)});
    }
  }
  return subject.size() <= kMostSubject ? subject : digest(x.text, subject);
}

}  // namespace headgate::gateway
