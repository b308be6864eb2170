#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway::key_source {

extern const KeySource method;
const KeySource method{.word = "method",
                       .example = "method",
                       .noun = [](std::string_view) { return std::string("method"); },
                       .value = [](Exchange& x, std::string_view) { return std::string_view(x.request.method); }};

}  // namespace headgate::gateway::key_source
