// A group of the known API key, which its record names.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway::key_source {

constexpr std::string_view kGroupAlso[] = {"team", "organisation", "organization", "org", "group"};

extern const KeySource group;
const KeySource group{
    .word = "group:",
    .example = "group:team",
    .also = kGroupAlso,
    .name = {.placeholder = "<name>",
             .what = "group",
             .help = R"(write the name of a group of API keys after the colon, as in "group:team")",
             .read =
                 [](std::string_view written) {
                   return identity::is_group_name(written) ? std::optional(std::string(written)) : std::nullopt;
                 }},
    .needs = Needs::api_key,
    .noun = [](std::string_view name) { return std::string(name) + " of the API key"; },
    .value = [](Exchange& x, std::string_view name) { return x.caller.group(name); },
    .tier = {.value = [](const Exchange& x, std::string_view name) { return x.caller.group(name); },
             .noun = [](std::string_view name) { return "the " + std::string(name) + " of its API key"; }}};

}  // namespace headgate::gateway::key_source
