// A value in the body of the request: the model of a call, the tool of an MCP request. Its caller writes it, so limits
// that protect something count by a credential as well.

#include "gateway/bodies/body_values.hpp"

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/scan/pointer.hpp"

namespace headgate::gateway::key_source {

extern const KeySource body;
const KeySource body{.word = "body:",
                     .example = "body:/model",
                     .name = {.placeholder = "<pointer>",
                              .what = "value in the body",
                              .help = R"(write a pointer (RFC 6901) after the colon, as in "body:/model")",
                              .read =
                                  [](std::string_view written) {
                                    return fault_of_pointer(written).empty() ? std::optional(std::string(written))
                                                                             : std::nullopt;
                                  }},
                     .needs = Needs::body,
                     .noun = [](std::string_view name) { return "value at " + std::string(name) + " in the body"; },
                     .missing = "A value in the request's body by which requests are counted is missing.",
                     .value =
                         [](Exchange& x, std::string_view name) {
                           const auto index = x.bodies ? x.bodies->plan().key(name) : std::nullopt;
                           return index ? key_in_body(x, *index) : std::string_view{};
                         }};

}  // namespace headgate::gateway::key_source
