// The query as the client sent it. A source of keys needs no file but this one. Only tests use it.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway::key_source {

extern const KeySource raw_query;
const KeySource raw_query{.word = "raw_query",
                          .example = "raw_query",
                          .needs = Needs::part,
                          .noun = [](std::string_view) { return std::string("query"); },
                          .missing = "The query that requests are counted by is missing.",
                          .value = [](Exchange& x, std::string_view) { return x.request.query; }};

}  // namespace headgate::gateway::key_source
