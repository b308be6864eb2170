#include "terms.hpp"

#include "subject.hpp"

#include "headgate/identity/client_address.hpp"
#include "headgate/identity/network.hpp"

#include <algorithm>
#include <charconv>

namespace headgate::gateway {
namespace {

using limit::IfAbsent;
using limit::Per;

bool exempt(const Exchange& x, const std::optional<Exemption>& exemption) {
  if (!exemption) return false;
  const auto& keys = exemption->api_keys;
  const auto* const known = x.caller.known_key;
  if (known && std::find(keys.begin(), keys.end(), known->name) != keys.end()) return true;
  return !exemption->addresses.empty() && identity::contains(exemption->addresses, x.caller.address);
}

/// What the caller's tier is called; empty where nobody says.
std::string_view tier_name(const Exchange& x, const Per& from) {
  switch (from.kind) {
    case Per::Kind::jwt_claim: {
      const auto at = x.caller.claims.find(from.name);
      return at == x.caller.claims.end() ? std::string_view{} : std::string_view(at->second);
    }
    case Per::Kind::api_key:
      return x.caller.known_key ? std::string_view(x.caller.known_key->tier) : std::string_view{};
    case Per::Kind::header:
      // Anybody can write a header: only a hop that is trusted with addresses is trusted with tiers.
      return x.caller.through_trusted ? http::value_of(x.request.fields, std::string_view(from.name))
                                      : std::string_view{};
    default:
      return {};
  }
}

const ReadyTier& tier_of(const Exchange& x, const PlannedLimit& planned) {
  const auto& tiers = planned.ready->tiers;
  const auto& from = planned.limit->tier_from;
  if (from) {
    const auto name = tier_name(x, *from);
    const auto at = std::find_if(tiers.begin(), tiers.end(), [name](const auto& tier) { return tier.name == name; });
    if (at != tiers.end()) return *at;
  }
  return tiers[planned.limit->default_tier];
}

std::optional<std::string_view> subject_for(Exchange& x, const PlannedLimit& planned) {
  const auto api_key = planned.secret_key && planned.stage == Stage::redis ? ApiKeyAs::digest : ApiKeyAs::text;
  const auto& limit = *planned.limit;
  auto text = subject_of(x, limit.per, api_key);
  if (text || limit.if_absent.action != IfAbsent::Action::use) return text;
  text = subject_of(x, limit.if_absent.use, api_key);
  // Marked by a byte that no field can hold, so that nobody spends another's budget with a key that looks like an
  // address.
  if (text) text = x.text.join({"\x01", *text});
  return text;
}

std::int64_t cost_of(const Exchange& x, const Cost& cost) {
  switch (cost.from) {
    case Cost::From::constant:
    case Cost::From::response_header:
      break;
    case Cost::From::method: {
      const auto same = [&](const auto& one) { return one.first == x.request.method; };
      const auto at = std::find_if(cost.methods.begin(), cost.methods.end(), same);
      if (at != cost.methods.end()) return at->second;
      break;
    }
    case Cost::From::request_header:
      // Who names proxies takes their word and nobody else's; who names none lets callers say.
      if (!x.caller.through_trusted && !x.snapshot->site->identity().trusted_proxies.empty()) break;
      return cost_in(http::value_of(x.request.fields, std::string_view(cost.header)), cost.most).value_or(cost.usual);
  }
  return cost.usual;
}

}  // namespace

std::optional<std::int64_t> cost_in(std::string_view value, std::int64_t most) noexcept {
  std::int64_t cost = 0;
  const auto* const end = value.data() + value.size();
  if (value.empty() || value.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  const auto [stop, error] = std::from_chars(value.data(), end, cost);
  if (error == std::errc::result_out_of_range) return most;
  return std::min(cost, most);
}

Terms terms_of(Exchange& x, const PlannedLimit& planned) {
  Terms terms;
  if (exempt(x, planned.ready->exemption)) return terms;
  const auto& tier = tier_of(x, planned);
  if (tier.rules.empty()) return terms;
  const auto subject = subject_for(x, planned);
  if (!subject) {
    terms.key_missing = planned.limit->if_absent.action != IfAbsent::Action::skip;
    return terms;
  }
  return {true, false, *subject, &tier, cost_of(x, planned.cost)};
}

}  // namespace headgate::gateway
