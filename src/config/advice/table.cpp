// The table of all advice. docs/advice.md is generated from it.

#include "config/advice/advice.hpp"

#include "headgate/config/load.hpp"

namespace headgate::config {
namespace {

constexpr AdviceRow kAdvice[] = {
    {"HG600", "accepted_in_vain", "An entry of `accept_advice` accepts nothing.",
     "The advice no longer applies, and the entry would hide it if it came back.", advise_accepted_in_vain},
    {"HG601", "never_binds",
     "A limit, or one of its rates, can never reject a request. Another one counts the same requests by the same or a "
     "coarser key and allows no more.",
     "The limit seems to protect something, but only costs a decision for each request.", advise_never_binds},
    {"HG602", "uncounted_callers",
     "A limit skips callers without a credential, the route does not require one, and no other limit separates its "
     "callers.",
     "A caller that leaves out the credential has no limit.", advise_uncounted_callers},
    {"HG603", "retries_beyond_timeout",
     "`attempts` times `timeout_each` exceeds the `timeout` of a route, which covers all attempts together.",
     "The last attempts are cut short or never made.", advise_retries_beyond_timeout},
    {"HG604", "key_from_anyone",
     "A limit counts by a field or cookie without a trusted proxy that could write it, and no other limit of the route "
     "separates its callers.",
     "A caller can change the value to get a new counter, or use up the counter of another caller.",
     advise_key_from_anyone},
    {"HG605", "leases_in_vain", "A limit has `\"leases\": \"auto\"`, but its permits are never leased.",
     "Each request still calls Redis, which leases should avoid.", advise_leases_in_vain},
    {"HG606", "quota_in_memory",
     "A rate per day or longer is counted in this gateway's memory. For a month it is a warning.",
     "A restart gives every caller its full quota again.", advise_quota_in_memory},
    {"HG607", "open_admin", "`admin` listens on all addresses of the machine, or on a public address.",
     "Anybody who reaches the port can try tokens, and the right token crosses the network unencrypted.",
     advise_open_admin},
    {"HG608", "ban_of_others",
     "A limit with `ban` counts by a key that callers share, or that one caller can send for another: an unverified "
     "API key, or a block of addresses larger than one site.",
     "An attacker can have other callers suspended.", advise_ban_of_others},
    {"HG609", "bound_of_a_tunnel",
     "A route that only accepts WebSocket requests has `max_body`, `min_rate`, `between_bytes` or `buffer_request`.",
     "Such requests have no body, and these keys do not limit a tunnel.", advise_bound_of_a_tunnel},
};

}  // namespace

std::span<const AdviceRow> advice_rows() { return kAdvice; }

std::string advice_table() {
  std::string out = "| code | name | finding | why it is a mistake |\n|---|---|---|---|\n";
  for (const auto& row : kAdvice)
    out += "| " + std::string(row.code) + " | `" + std::string(row.name) + "` | " + std::string(row.what) + " | " +
           std::string(row.why) + " |\n";
  return out;
}

}  // namespace headgate::config
