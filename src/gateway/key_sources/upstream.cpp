#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway::key_source {

extern const KeySource upstream;
const KeySource upstream{.word = "upstream",
                         .example = "upstream",
                         .counts = Counts::places,
                         .noun = [](std::string_view) { return std::string("upstream"); },
                         // A route that answers on its own counts as an upstream.
                         .value =
                             [](Exchange& x, std::string_view) {
                               return std::string_view(x.route->respond ? x.route->name : x.route->upstream_name);
                             }};

}  // namespace headgate::gateway::key_source
