// Advice on keys that consist of text that the caller chooses.

#include "config/advice/advice.hpp"
#include "config/values.hpp"

#include "headgate/gateway/key_source.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

bool is_written_by_callers(const limit::Per& per) {
  return per.source->needs == gateway::Needs::field || per.source->needs == gateway::Needs::cookie ||
         per.source->word == "query:";
}

/// Returns the place at which the key of a limit names text that callers write, and sets `found` to that part of the
/// key. Returns null if the key has no such part.
const Node* place_of_written(const Node& limit, const limit::Limit& options, const limit::Per*& found) {
  const auto at = std::ranges::find_if(options.per, is_written_by_callers);
  if (at == options.per.end()) return nullptr;
  found = &*at;
  const auto written = texts(find(&limit, "per"));
  const auto number = static_cast<std::size_t>(at - options.per.begin());
  return written.size() == options.per.size() ? written[number] : find(&limit, "per");
}

}  // namespace

void advise_key_from_anyone(Adviser& given) {
  const auto& config = given.config();
  if (!config.identity.trusted_proxies.empty()) return;  // a trusted proxy may write the text
  std::vector<bool> told(config.limits.size());
  for (std::size_t i = 0; i < config.gateway.routes.size(); ++i) {
    for (const auto& use : given.plan(i)) {
      const auto& limit = config.limits[use.limit];
      if (told[use.limit] || limit.mode != limit::Mode::enforce) continue;
      const limit::Per* per = nullptr;
      const Node* const place = place_of_written(given.limit_node(use.limit), limit, per);
      if (place == nullptr || given.keeps_callers_apart(i, use.limit)) continue;
      told[use.limit] = true;
      given.say(*place,
                "any caller can write the " + std::string(per->source->name.what) + ' ' + per->name +
                    ", and so have a new counter with each request, or use up another caller's",
                "count by what a caller proves, as in \"client_ip\", \"api_key\" or \"jwt.sub\", or give the route a "
                "limit by that, too; if a proxy writes it, name the proxy in \"trusted_proxies\"");
    }
  }
}

}  // namespace headgate::config
