// Advice on retries whose attempts do not fit into the timeout of the whole request.

#include "config/advice/advice.hpp"
#include "config/values.hpp"

#include <optional>

namespace headgate::config {
namespace {

/// Returns, for each upstream, the route to it with the shortest timeout.
std::vector<std::optional<std::size_t>> most_impatient(const Adviser& given) {
  const auto& options = given.config().gateway;
  const auto& numbers = given.build().upstream_numbers;
  std::vector<std::optional<std::size_t>> out(given.config().upstreams.size());
  const auto timeout = [&](std::size_t route) {
    return options.routes[route].timeout.value_or(options.all_routes.timeout);
  };
  for (std::size_t i = 0; i < options.routes.size(); ++i) {
    const auto note = [&](const std::string& upstream) {
      const auto at = numbers.find(upstream);
      if (at == numbers.end()) return;
      auto& found = out[at->second];
      if (!found || timeout(i) < timeout(*found)) found = i;
    };
    note(options.routes[i].to);
    if (options.routes[i].split)
      for (const auto& share : options.routes[i].split->shares) note(share.upstream);
  }
  return out;
}

}  // namespace

void advise_retries_beyond_timeout(Adviser& given) {
  const auto& config = given.config();
  const auto routes = most_impatient(given);
  for (std::size_t i = 0; i < config.upstreams.size(); ++i) {
    const auto& retry = config.upstreams[i].retry;
    if (!retry || !retry->on_timeout || !retry->timeout_each || !routes[i]) continue;
    const auto& route = config.gateway.routes[*routes[i]];
    const auto timeout = route.timeout.value_or(config.gateway.all_routes.timeout);
    const auto each = *retry->timeout_each;
    // If one attempt may take the whole timeout, there is a warning instead: no second attempt ever follows.
    if (each >= timeout || each * static_cast<std::int64_t>(retry->attempts) <= timeout) continue;
    const auto whole = timeout / each;  // number of attempts for whose full time there is room
    const auto rest = timeout - each * whole;
    const auto left = rest > Duration(0) ? "the next one has " + to_text(rest) : "no time is left for the next one";
    given.say(*find(find(given.build().upstream_nodes[i], "retry"), "timeout_each"),
              std::to_string(retry->attempts) + " attempts of " + to_text(each) + " do not fit into the " +
                  to_text(timeout) + " that " + route_text(route) + " has for all of them: after " +
                  std::to_string(whole) + " of that length " + left,
              "shorten \"timeout_each\", raise the route's \"timeout\", or write fewer \"attempts\"");
  }
}

}  // namespace headgate::config
