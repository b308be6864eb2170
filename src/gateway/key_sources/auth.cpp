// A field of the auth service's answer, which no caller can set.

#include "headgate/core/text.hpp"
#include "headgate/gateway/auth_service.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway::key_source {

constexpr std::string_view kAuthAlso[] = {"auth", "auth_request", "forward_auth", "ext_authz"};

extern const KeySource auth;
const KeySource auth{
    .word = "auth.",
    .example = "auth.X-User",
    .also = kAuthAlso,
    .name = {.placeholder = "<field>",
             .what = "field",
             .help = R"(write the name of a field in the service's answer after the dot, as in "auth.X-User")",
             .read =
                 [](std::string_view written) {
                   return is_auth_field(written) ? std::optional(lower(written)) : std::nullopt;
                 }},
    .needs = Needs::service,
    .noun = [](std::string_view name) { return "value of " + std::string(name) + " from the auth service"; },
    .value = [](Exchange& x, std::string_view name) { return x.auth ? x.auth->value(name) : std::string_view{}; },
    .tier = {.value = [](const Exchange& x,
                         std::string_view name) { return x.auth ? x.auth->value(name) : std::string_view{}; },
             .noun = [](std::string_view name) { return "the auth service's " + std::string(name); }}};

}  // namespace headgate::gateway::key_source
