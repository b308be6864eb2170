// Refuses callers that an operator has suspended, either under limits that suspend no one on their own or by an address
// block.

#include "gateway/limits/limit_fields.hpp"
#include "gateway/limits/resolved_limit.hpp"
#include "steps.hpp"

#include "headgate/gateway/key_source.hpp"
#include "headgate/identity/network.hpp"
#include "headgate/limit/ban_table.hpp"

#include <algorithm>
#include <optional>

namespace headgate::gateway {
namespace {

constexpr std::string_view kSuspended = "This caller is suspended for a time.";

bool by_address(const std::vector<limit::Per>& per) {
  return per.size() == 1 && per.front().source->word == "client_ip";
}

/// Returns the part of a key of this limit before the address block. Returns nothing if this key is not an address.
std::optional<std::string_view> before_block(const limit::Limit& limit, std::string_view key) {
  const auto& instead = limit.if_absent.instead;
  for (std::size_t i = 0; i < instead.size(); ++i)
    if (key.starts_with(limit::IfAbsent::kMarks[i]))
      return by_address(instead[i]) ? std::optional(limit::IfAbsent::kMarks[i]) : std::nullopt;
  return by_address(limit.per) ? std::optional(std::string_view()) : std::nullopt;
}

struct FoundSuspension {
  limit::BanTable::Found found;
  std::string_view key;  ///< a view into x.text or the exchange
};

std::optional<FoundSuspension> find_suspended(Exchange& x, const limit::BanTable& bans, const RouteBan& ban,
                                              Instant now) {
  const auto key = key_to_ban(x, *ban.route_limit);
  if (!key) return std::nullopt;
  const auto& name = ban.route_limit->ready->base;
  if (ban.policy == nullptr)  // a limit with a policy is checked by the step `bans`
    if (const auto found = bans.find(name, *key, now)) return FoundSuspension{*found, *key};
  const auto before = ban.by_address ? before_block(*ban.route_limit->limit, *key) : std::nullopt;
  if (!before) return std::nullopt;
  std::optional<FoundSuspension> out;
  const auto& address = x.caller.address;
  const bool v4 = address.is_v4() || address.to_v6().is_v4_mapped();
  bans.blocks().any_of(v4, [&](unsigned length) {
    const auto block = std::string(*before) + identity::block_of(address, length);
    const auto found = bans.find(name, block, now);
    if (found) out = FoundSuspension{*found, x.text.join({block})};
    return found && !found->observed;
  });
  return out;
}

}  // namespace

MaybeProblem check_suspended(Path& path, Exchange& x, bool after_auth) {
  const auto now = path.services.clock.wall();
  for (const auto& ban : x.route->suspendable) {
    if (ban.after_auth != after_auth) continue;
    const auto suspended = find_suspended(x, path.services.bans, ban, now);
    if (!suspended) continue;
    // Neither a limit in observe mode refuses a request, nor a suspension that began while the limit was in that mode.
    const bool observed = suspended->found.observed || ban.route_limit->limit->mode == limit::Mode::observe;
    if (observed && x.suspension.by != nullptr) continue;
    x.suspension.by = &ban;
    x.suspension.key = suspended->key;
    if (observed) continue;
    return refusal_of_suspended(x, ban, suspended->found.until - now, kSuspended);
  }
  return {};
}

}  // namespace headgate::gateway
