// Advice on suspensions that may hit callers who have not offended. Keys from header fields and cookies have a warning
// instead.

#include "config/advice/advice.hpp"
#include "config/values.hpp"

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/key_source.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

constexpr unsigned kSite = 48;  // prefix length of the addresses of one site, in bits (RFC 6177)

using PerParts = std::vector<limit::Per>;

bool has(const PerParts& key, gateway::Needs needs) {
  return std::ranges::any_of(key, [&](const limit::Per& per) {
    return per.source->needs == needs && per.source->counts == gateway::Counts::callers;
  });
}

/// Returns whether the text of an API key is the only part of the key by which callers differ.
bool is_by_text_alone(const PerParts& key) {
  return has(key, gateway::Needs::api_key) && !has(key, gateway::Needs::nothing) && !has(key, gateway::Needs::token) &&
         !has(key, gateway::Needs::certificate);
}

template <class Is>
bool any_key(const limit::Limit& limit, const Is& is) {
  return is(limit.per) || std::ranges::any_of(limit.if_absent.instead, is);
}

bool is_by_address(const PerParts& key) {
  return std::ranges::any_of(key, [](const limit::Per& per) { return per.source->word == "client_ip"; }) &&
         !has(key, gateway::Needs::token) && !has(key, gateway::Needs::api_key) &&
         !has(key, gateway::Needs::certificate);
}

}  // namespace

void advise_ban_of_others(Adviser& given) {
  const auto& config = given.config();
  for (std::size_t i = 0; i < config.limits.size(); ++i) {
    const auto& limit = config.limits[i];
    if (!limit.ban || limit.mode != limit::Mode::enforce || !gateway::is_own_key(limit)) continue;
    const Node& ban = *find(&given.limit_node(i), "ban");
    if (!config.identity.api_key.any_known() && any_key(limit, is_by_text_alone)) {
      given.say_at_key(
          ban,
          "no API key is known, so whoever sends the text of another caller's key, from anywhere, can have "
          "it suspended",
          R"(name the keys: "identity": { "api_key": { "file": "/etc/headgate/api-keys.json" } }, or add "client_ip" to "per")");
    } else if (config.identity.ipv6_prefix < kSite && any_key(limit, is_by_address)) {
      given.say_at_key(ban,
                       "all addresses of an IPv6 block of " + std::to_string(config.identity.ipv6_prefix) +
                           " bits are one client, and a block of less than 48 is shared by many sites: one of them can "
                           "have the others suspended",
                       R"(raise "ipv6_prefix" of "identity"; 64 is the default)");
    }
  }
}

}  // namespace headgate::config
