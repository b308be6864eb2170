// The user of basic authentication.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway::key_source {

constexpr std::string_view kBasicAlso[] = {"basic", "remote_user", "$remote_user", "basic_auth"};

extern const KeySource basic;
const KeySource basic{.word = "basic.user",
                      .example = "basic.user",
                      .also = kBasicAlso,
                      .needs = Needs::user,
                      .noun = [](std::string_view) { return std::string("user of basic authentication"); },
                      .value = [](Exchange& x, std::string_view) { return x.user; }};

}  // namespace headgate::gateway::key_source
