#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway::key_source {

extern const KeySource host;
const KeySource host{.word = "host",
                     .example = "host",
                     .counts = Counts::places,
                     .noun = [](std::string_view) { return std::string("host"); },
                     // An HTTP/1.0 request may have no Host; the value is then "(none)", which cannot be the name of a
                     // host.
                     .value =
                         [](Exchange& x, std::string_view) {
                           return x.request.host.empty() ? std::string_view("(none)")
                                                         : std::string_view(x.request.host);
                         }};

}  // namespace headgate::gateway::key_source
