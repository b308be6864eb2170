// The table of all advice. docs/advice.md is made of it.

#include "config/advice/advice.hpp"

#include "headgate/config/load.hpp"

namespace headgate::config {
namespace {

constexpr AdviceRow kAdvice[] = {
    {"HG600", "accepted_in_vain", "An entry of `accept_advice` accepts nothing",
     "what it accepted is mended; left there, it would hide the same thing when it comes back",
     advise_accepted_in_vain},
    {"HG601", "never_binds",
     "A limit, or one rate of it, can never reject: another one counts the same requests by the same key, or a coarser "
     "one, and allows no more",
     "it looks like protection, costs a decision for each request, and is none", advise_never_binds},
    {"HG602", "uncounted_callers",
     "A limit skips callers without a credential, the route does not require it, and no other limit keeps its callers "
     "apart",
     "whoever leaves the credential out has no limit of its own", advise_uncounted_callers},
    {"HG603", "retries_beyond_timeout",
     "`attempts` times `timeout_each` is more than a route has as its `timeout`, which is for all attempts together",
     "the last attempts are cut short, or never made", advise_retries_beyond_timeout},
    {"HG604", "key_from_anyone",
     "A limit counts by a field or cookie, no trusted proxy is named that could write it, and no other limit of the "
     "route keeps its callers apart",
     "a caller with another value has another counter, and with somebody else's value uses up somebody else's",
     advise_key_from_anyone},
    {"HG605", "leases_in_vain", "`\"leases\": \"auto\"` stands at a limit of which no permit is ever leased",
     "each request is a call to Redis, which leases were to save", advise_leases_in_vain},
    {"HG606", "quota_in_memory", "A rate of a day or more is counted in this gateway's memory",
     "a restart gives everybody the whole quota again; of a month it is a warning", advise_quota_in_memory},
    {"HG607", "open_admin", "`admin` listens on all addresses of the machine, or on one of the internet",
     "whoever reaches the port may try tokens, and the right one crosses the network unencrypted", advise_open_admin},
    {"HG608", "ban_of_others",
     "A limit with `ban` counts by something that callers share, or that one caller can send for another: an API key "
     "while none is known, or a block of addresses larger than a site has",
     "an attacker can have others suspended", advise_ban_of_others},
    {"HG609", "bound_of_a_tunnel",
     "A route that only takes requests for a WebSocket has `max_body`, `min_rate`, `between_bytes` or "
     "`buffer_request`",
     "such a request has no body, and nothing bounds what a tunnel carries", advise_bound_of_a_tunnel},
};

}  // namespace

std::span<const AdviceRow> advice_rows() { return kAdvice; }

std::string advice_table() {
  std::string out = "| code | name | found | why it is surely not meant |\n|---|---|---|---|\n";
  for (const auto& row : kAdvice)
    out += "| " + std::string(row.code) + " | `" + std::string(row.name) + "` | " + std::string(row.what) + " | " +
           std::string(row.why) + " |\n";
  return out;
}

}  // namespace headgate::config
