#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway::key_source {

constexpr std::string_view kApiKeyAlso[] = {"key", "apikey"};

extern const KeySource api_key;
const KeySource api_key{.word = "api_key",
                        .example = "api_key",
                        .also = kApiKeyAlso,
                        .needs = Needs::api_key,
                        .noun = [](std::string_view) { return std::string("API key"); },
                        .value = [](Exchange& x, std::string_view) { return x.caller.api_key_text; },
                        .tier = {.value =
                                     [](const Exchange& x, std::string_view) {
                                       return x.caller.known_key ? std::string_view(x.caller.known_key->tier)
                                                                 : std::string_view{};
                                     },
                                 .noun = [](std::string_view) { return std::string("the tier of its API key"); }}};

}  // namespace headgate::gateway::key_source
