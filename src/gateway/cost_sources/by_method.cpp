#include "headgate/core/text.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/exchange.hpp"

#include <algorithm>

namespace headgate::gateway::cost_source {

extern const CostSource by_method;
const CostSource by_method{.word = "by_method",
                           .example = R"({ "GET": 1, "POST": 5 })",
                           .doc = "By the request's method; 0 is free",
                           .takes = CostTakes::methods,
                           .meaning =
                               [](const Cost& cost) {
                                 std::vector<std::string> words;
                                 for (const auto& [method, each] : cost.methods)
                                   words.push_back(method + ' ' + std::to_string(each));
                                 return "costs " + joined(words, ", ") + ", else " + std::to_string(cost.default_value);
                               },
                           .told =
                               [](const Exchange& x, const Cost& cost) {
                                 const auto at = std::ranges::find_if(cost.methods, [&](const auto& each) {
                                   return http::same_word(each.first, x.request.method);
                                 });
                                 return at == cost.methods.end() ? CostReading{} : CostReading{.cost = at->second};
                               }};

}  // namespace headgate::gateway::cost_source
