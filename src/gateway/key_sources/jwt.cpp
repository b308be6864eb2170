// A claim of the verified token.

#include "headgate/identity/jwt.hpp"

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway::key_source {

constexpr std::string_view kJwtAlso[] = {"user", "sub", "jwt"};

/// Returns the claim, or its digest if the claim cannot be written into keys and logs.
std::string_view key_of_claim(const Caller& caller, std::string_view name) {
  const auto value = caller.claim(name);
  if (!value.empty() || !caller.token) return value;
  const auto& digests = caller.token->digests;
  const auto at = digests.find(name);
  return at == digests.end() ? std::string_view{} : std::string_view(at->second);
}

/// Returns the claim. For a list, returns its texts, each followed by a line feed.
std::string_view tier_of_claim(const Caller& caller, std::string_view name) {
  const auto value = caller.claim(name);
  if (!value.empty() || !caller.token) return value;
  const auto& lists = caller.token->lists;
  const auto at = lists.find(name);
  return at == lists.end() ? std::string_view{} : std::string_view(at->second);
}

extern const KeySource jwt;
const KeySource jwt{
    .word = "jwt.",
    .example = "jwt.sub",
    .also = kJwtAlso,
    .name = {.placeholder = "<claim>",
             .what = "claim",
             .help = R"(write the claim's name after the dot, as in "jwt.sub" or "jwt.realm_access.tenant")",
             .read =
                 [](std::string_view written) {
                   return identity::is_claim_name(written) ? std::optional(std::string(written)) : std::nullopt;
                 }},
    .needs = Needs::token,
    .noun = [](std::string_view name) { return "jwt." + std::string(name); },
    // With several issuers the claim includes its issuer, because each may call somebody "alice" (RFC 7519 section
    // 4.1.2). The separator is a control character, which no claim has.
    .value =
        [](Exchange& x, std::string_view name) {
          const auto value = key_of_claim(x.caller, name);
          if (value.empty() || x.caller.issuer.empty()) return value;
          return x.text.join({x.caller.issuer, "\x1f", value});
        },
    .tier = {.value = [](const Exchange& x, std::string_view name) { return tier_of_claim(x.caller, name); },
             .noun = [](std::string_view name) { return "its jwt." + std::string(name); }}};

}  // namespace headgate::gateway::key_source
