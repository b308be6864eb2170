// A field of the request's head. `identify` refuses a request in which it appears twice.

#include "headgate/core/text.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway::key_source {

constexpr std::size_t kLongestField = 128;

extern const KeySource header;
const KeySource header{
    .word = "header:",
    .example = "header:X-Tenant",
    .name = {.placeholder = "<name>",
             .what = "field",
             .help = R"(write the field's name after the colon, as in "header:X-Tenant")",
             .read =
                 [](std::string_view written) {
                   const bool valid = http::is_token(written) && written.size() <= kLongestField;
                   return valid ? std::optional(lower(written)) : std::nullopt;
                 }},
    .needs = Needs::field,
    .noun = [](std::string_view name) { return "value of " + std::string(name); },
    .missing = "A header that requests are counted by is missing.",
    .value = [](Exchange& x, std::string_view name) { return http::value_of(x.request.fields, name); },
    // Any client can write a header, so a tier is believed only if the request came through a trusted hop.
    .tier = {.value =
                 [](const Exchange& x, std::string_view name) {
                   return x.caller.through_trusted ? http::value_of(x.request.fields, name) : std::string_view{};
                 },
             .noun = [](std::string_view name) { return "the value of " + std::string(name); }}};

}  // namespace headgate::gateway::key_source
