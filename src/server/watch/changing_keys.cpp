#include "server/watch/changing_keys.hpp"

#include "headgate/config/config.hpp"
#include "headgate/gateway/key_source.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace headgate::server {
namespace {

bool is_written_by_its_caller(const config::Config& config, const limit::Per& per) {
  using gateway::Needs;
  const auto needs = per.source->needs;
  return needs == Needs::field || needs == Needs::cookie || needs == Needs::part || needs == Needs::body ||
         (needs == Needs::api_key && !config.identity.api_key.any_known());
}

/// Returns the name of a limit without its scale on a route: "plan" for "plan@search".
std::string_view base_of(std::string_view name) noexcept { return name.substr(0, name.find('@')); }

}  // namespace

void tell_changing_keys(admin::Reasons& reasons, services::TopService& top, const services::ActiveConfig& active) {
  std::vector<std::pair<std::string, std::string>> wrong;
  for (const auto& name : top.changing()) {
    const auto& limits = active.config->limits;
    const auto limit = std::ranges::find(limits, base_of(name), &limit::Limit::name);
    if (limit == limits.end()) continue;
    const auto per = std::ranges::find_if(
        limit->per, [&](const limit::Per& each) { return is_written_by_its_caller(*active.config, each); });
    if (per == limit->per.end()) continue;
    wrong.emplace_back(name, "it counts by " + gateway::to_text(*per) +
                                 ", which callers write: count by what stays the same for a caller");
  }
  reasons.set_only(admin::ReasonKind::keys_change, wrong);
}

}  // namespace headgate::server
