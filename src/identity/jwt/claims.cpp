#include "claims.hpp"

#include "base64url.hpp"
#include "lifetime.hpp"
#include "limits.hpp"

#include "headgate/identity/sha256.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace headgate::identity {
namespace {

using Kind = JsonMember::Kind;
using Members = std::vector<JsonMember>;

RefusedToken forever(JwtError error) noexcept { return {error, Instant::max()}; }

bool meant_for(const Members& claims, const std::vector<std::string>& audiences) noexcept {
  if (audiences.empty()) return true;
  const auto ours = [&](const std::string& one) {
    return std::find(audiences.begin(), audiences.end(), one) != audiences.end();
  };
  const auto* member = find_member(claims, "aud");
  if (!member) return false;
  if (member->kind == Kind::text) return ours(member->text);
  return member->kind == Kind::texts && std::any_of(member->texts.begin(), member->texts.end(), ours);
}

bool is_control(char c) noexcept { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool is_printable(std::string_view text) noexcept { return std::none_of(text.begin(), text.end(), is_control); }

bool is_literal(const JsonMember& member) noexcept {
  return member.kind == Kind::integer || member.kind == Kind::boolean;
}

/// Returns whether the claim can be a key. It must be short, and safe in a log line and in a header field.
bool usable(const JsonMember& member) noexcept {
  if (is_literal(member)) return true;
  return member.kind == Kind::text && member.text.size() <= kMaxClaim && is_printable(member.text);
}

/// Stores a digest of the claim, by which callers are distinguished, as described at VerifiedToken::digests.
void keep_digest(const JsonMember& member, Claims& digests) {
  auto all = member.text;
  for (const auto& text : member.texts) all.append(text).push_back('\0');
  if (all.empty() || (member.kind == Kind::texts && member.texts.empty())) return;
  digests.emplace(member.name, as_text(digest_text(sha256(all))));
}

/// Stores values that cannot be keys, as described at VerifiedToken::lists.
void keep_list(JsonMember& member, Claims& lists) {
  std::string joined;
  const auto add = [&joined](const std::string& text) {
    if (is_printable(text)) joined.append(text).push_back('\n');
  };
  if (member.kind == Kind::text) add(member.text);
  if (member.kind == Kind::texts) std::for_each(member.texts.begin(), member.texts.end(), add);
  if (!joined.empty()) lists.emplace(std::move(member.name), std::move(joined));
}

}  // namespace

std::optional<Members> read_payload(std::string_view payload) {
  std::array<char, decoded_size(kMaxToken)> buffer;
  const auto json = decode_base64url(payload, buffer);
  return json ? read_json_paths(*json) : std::nullopt;
}

std::string_view issuer_of(const Members& claims) noexcept {
  const auto* member = find_member(claims, "iss");
  return member && member->kind == Kind::text ? std::string_view(member->text) : std::string_view();
}

Result<VerifiedToken, RefusedToken> check_claims(Members claims, const JwtIssuer& issuer, Instant now) {
  const auto life = read_lifetime(claims, issuer);
  if (!life && life.error() == JwtError::malformed) return forever(JwtError::malformed);
  // Issuer and audience are checked before the dates, because their errors are permanent and can be cached for ever.
  if (!issuer.issuer.empty() && issuer_of(claims) != issuer.issuer) return forever(JwtError::wrong_issuer);
  if (!meant_for(claims, issuer.audiences)) return forever(JwtError::wrong_audience);
  if (!life) return forever(life.error());
  if (const auto refused = life->refusal(now)) return *refused;

  VerifiedToken verified;
  verified.good_from = life->from;
  verified.good_until = life->until;
  for (auto& member : claims) {
    if (!usable(member)) {
      keep_digest(member, verified.digests);
      keep_list(member, verified.lists);
      continue;
    }
    if (is_literal(member)) verified.literals.push_back(member.name);
    verified.claims.emplace(std::move(member.name), std::move(member.text));
  }
  return verified;
}

bool is_claim_name(std::string_view name) noexcept {
  constexpr std::size_t kLongest = 128;
  return !name.empty() && name.size() <= kLongest &&
         std::all_of(name.begin(), name.end(), [](char c) { return c > 0x20 && c < 0x7F && c != '"' && c != '\\'; });
}

}  // namespace headgate::identity
