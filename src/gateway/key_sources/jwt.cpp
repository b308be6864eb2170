// A claim of the verified token.

#include "headgate/identity/jwt.hpp"

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway::key_source {

constexpr std::string_view kJwtAlso[] = {"user", "sub", "jwt"};

extern const KeySource jwt;
const KeySource jwt{.word = "jwt.",
                    .example = "jwt.sub",
                    .also = kJwtAlso,
                    .name = {.placeholder = "<claim>",
                             .what = "claim",
                             .help = R"(write the claim behind the dot, as in "jwt.sub")",
                             .read =
                                 [](std::string_view written) {
                                   return identity::is_claim_name(written) ? std::optional(std::string(written))
                                                                           : std::nullopt;
                                 }},
                    .needs = Needs::token,
                    .noun = [](std::string_view name) { return "jwt." + std::string(name); },
                    // With several issuers a claim is one of its own: each may call somebody "alice" (RFC 7519
                    // section 4.1.2). No claim has a control character.
                    .value =
                        [](Exchange& x, std::string_view name) {
                          const auto value = x.caller.claim(name);
                          if (value.empty() || x.caller.issuer.empty()) return value;
                          return x.text.join({x.caller.issuer, "\x1f", value});
                        },
                    .tier = {.value = [](const Exchange& x, std::string_view name) { return x.caller.claim(name); },
                             .noun = [](std::string_view name) { return "its jwt." + std::string(name); }}};

}  // namespace headgate::gateway::key_source
