// One counter for all requests.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway::key_source {

constexpr std::string_view kTotalAlso[] = {"global", "all", "everyone"};

extern const KeySource total;
const KeySource total{.word = "total",
                      .example = "total",
                      .also = kTotalAlso,
                      .counts = Counts::everybody,
                      .noun = [](std::string_view) { return std::string("one counter for all such"); },
                      .value = [](Exchange&, std::string_view) { return std::string_view("total"); }};

}  // namespace headgate::gateway::key_source
