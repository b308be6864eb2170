#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway::key_source {

extern const KeySource route;
const KeySource route{.word = "route",
                      .example = "route",
                      .counts = Counts::places,
                      .noun = [](std::string_view) { return std::string("route"); },
                      .value = [](Exchange& x, std::string_view) { return std::string_view(x.route->name); }};

}  // namespace headgate::gateway::key_source
