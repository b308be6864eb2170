// Checks whether the caller's address may use the route.

#include "gateway/steps/steps.hpp"

#include "headgate/identity/network.hpp"

namespace headgate::gateway {
namespace {

/// Returns the reason for the refusal, for the log: the denied block, or that no allowed block has the address.
std::string_view why_not(Exchange& x, const AddressDecision& decision) {
  if (decision.bits == identity::AddressBlocks::kNone) return "no block that is allowed holds the address";
  return x.text.join({identity::block_of(x.caller.address, static_cast<unsigned>(decision.bits)), " is denied"});
}

}  // namespace

MaybeProblem check_address(Path& /*path*/, Exchange& x) {
  for (const auto* const rules : x.route->address_rules) {
    const auto decision = judge(*rules, x.snapshot->credentials->address_lists(), x.caller.address);
    if (decision.in) continue;
    x.caller.auth_results.emplace_back(observe::AuthResult{observe::AuthKind::address, observe::AuthStatus::denied});
    x.reason = why_not(x, decision);
    return Problem{
        .status = 403, .ended_by = EndedBy::auth, .detail = "Requests from this address are not accepted here."};
  }
  return {};
}

}  // namespace headgate::gateway
