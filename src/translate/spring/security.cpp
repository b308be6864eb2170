// Translates Spring Security as far as it is configured in files. Spring Boot applies it to every request by default.

#include "translate/draft/json.hpp"
#include "translate/spring/filters.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

bool same_name(std::string_view written, std::string_view key) {
  const auto plain = [](std::string_view text) {
    std::string out;
    for (const char c : text)
      if (c != '-' && c != '_') out += lower(c);
    return out;
  };
  return plain(written) == plain(key);
}

/// Returns "jwt" of "identity" with the keys of a resource server. Returns an empty text if their place is unknown.
std::string tokens_of(const TreeNode& jwt) {
  const auto keys = spring_text(jwt, "jwk-set-uri");
  if (keys.empty() || keys.find("${") != std::string::npos) return {};
  auto algorithms = spring_member(jwt, "jws-algorithms").texts();
  if (algorithms.empty()) algorithms = {"RS256"};  // Spring's default
  std::vector<std::pair<std::string, std::string>> members;
  if (const auto issuer = spring_text(jwt, "issuer-uri"); !issuer.empty())
    members.emplace_back("issuer", json_text(issuer));
  if (const auto audiences = spring_member(jwt, "audiences").texts(); !audiences.empty())
    members.emplace_back("audience", text_or_list(audiences));
  members.emplace_back("algorithms", texts_of(algorithms));
  members.emplace_back("jwks", json_text(keys));
  return object_of(members);
}

}  // namespace

const TreeNode& spring_member(const TreeNode& map, std::string_view key) noexcept {
  static const TreeNode kNone;
  for (auto each = map.members.rbegin(); each != map.members.rend(); ++each)
    if (same_name(each->key, key)) return each->value;
  return kNone;
}

const TreeNode& spring_at(const TreeNode& map, std::string_view path) noexcept {
  const auto* at = &map;
  while (!path.empty()) {
    const auto part = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    at = &spring_member(*at, part);
  }
  return *at;
}

std::string spring_text(const TreeNode& map, std::string_view key, std::string_view otherwise) {
  const auto& found = spring_member(map, key);
  return std::string(found.is_text() ? std::string_view(found.text) : otherwise);
}

void take_security(SpringWork& work, const TreeNode& document) {
  const auto& security = spring_at(document, "spring.security");
  if (!security) return;
  const auto& jwt = spring_at(security, "oauth2.resourceserver.jwt");
  if (const auto tokens = tokens_of(jwt); !tokens.empty()) {
    work.require = json_text("jwt");
    work.draft.identity.set("jwt", tokens);
    say(work.draft.identity, Matter::differs, jwt.spot, "resourceserver.jwt",
        "every route requires a token, as with the defaults of Spring Boot; what the application's own code allows "
        "besides is not known");
  }
  const bool others = spring_at(security, "oauth2.resourceserver.opaquetoken") ||
                      spring_at(security, "oauth2.client") || spring_at(security, "user") ||
                      spring_at(security, "saml2") || (jwt && work.require.empty());
  if (!others) return;
  work.closed = "spring.security";
  work.closed_spot = security.spot;
}

}  // namespace headgate::translate
