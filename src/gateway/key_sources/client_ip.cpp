#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway::key_source {

constexpr std::string_view kClientIpAlso[] = {"ip", "remote_addr", "address", "client"};

extern const KeySource client_ip;
const KeySource client_ip{.word = "client_ip",
                          .example = "client_ip",
                          .also = kClientIpAlso,
                          .noun = [](std::string_view) { return std::string("client address"); },
                          .value = [](Exchange& x, std::string_view) { return x.caller.ip_key; }};

}  // namespace headgate::gateway::key_source
