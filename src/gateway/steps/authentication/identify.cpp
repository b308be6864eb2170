// Identifies the caller from the head alone, by address and API key.

#include "assumed.hpp"
#include "gateway/callers/find_client.hpp"
#include "gateway/callers/presented.hpp"
#include "gateway/steps/steps.hpp"

#include "headgate/http/named_values.hpp"
#include "headgate/identity/client_address.hpp"
#include "headgate/identity/digest_memory.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

void name_address(Exchange& x, const identity::IdentityOptions& options) {
  auto& caller = x.caller;
  // The key of an IPv4 address is its text, which exists already.
  if (!caller.through_trusted && x.peer.is_v4() && !x.peer_text.empty()) {
    caller.ip_key = x.peer_text;
    return;
  }
  std::array<char, 64> buffer{};
  caller.ip_key = x.text.join({identity::client_ip_key(caller.address, options.ipv6_prefix, buffer)});
}

/// Takes the caller's data from the record of its API key, unless the key is unknown, disabled or expired.
void take_record(Exchange& x, const identity::ApiKeyRecord* record) {
  auto& caller = x.caller;
  caller.key_state = !record                                                  ? KeyState::unknown
                     : record->disabled                                       ? KeyState::disabled
                     : record->expires && x.clock->wall() >= *record->expires ? KeyState::expired
                                                                              : KeyState::good;
  if (caller.key_state != KeyState::good) return;
  caller.known_key = record;
  caller.api_key_text = record->owner;
}

/// Looks up the owner of the key. All unknown keys count together, so that random keys take no memory. If no keys are
/// configured, each text is a key of its own.
void find_owner(Exchange& x, const identity::ApiKeyOptions& options, std::string_view key) {
  auto& caller = x.caller;
  if (key.empty()) return;
  thread_local identity::DigestMemory digests;  // one object per worker
  const auto& known = digests.digest(key);
  if (!options.any_known()) {
    caller.key_state = KeyState::good;
    caller.api_key_text = x.text.join({identity::as_text(known.readable)});
    return;
  }
  take_record(x, x.snapshot->credentials->api_keys().find(known.digest));
}

Problem ambiguous(std::string_view detail, std::string_view challenge = {}) {
  return {.status = 400, .ended_by = EndedBy::bad_request, .detail = detail, .challenge = challenge};
}

}  // namespace

MaybeProblem identify(Path& path, Exchange& x) {
  const auto& options = x.snapshot->compiled->identity();
  find_client(x, options);
  name_address(x, options);
  for (const auto& name : x.route->read_cookies)
    if (http::cookie_of(x.request.fields, name).twice) {
      const bool token = x.route->reads.has(Needs::token) && options.jwt && options.jwt->cookie == name;
      return ambiguous(
          x.text.join({"The cookie \"", name, "\" has more than one value, or one that can be read in two ways."}),
          token ? R"(Bearer error="invalid_request")" : "");
    }
  if (x.route->reads.has(Needs::api_key)) {
    const auto* const assumed = assumed_of(path, x);
    if (assumed != nullptr && assumed->key != nullptr) {
      take_record(x, assumed->key);
    } else {
      const auto key = presented_key(x, options.api_key);
      if (key.twice) return ambiguous("There is more than one API key in this request.");
      find_owner(x, options.api_key, key.text);
    }
  }
  for (const auto& name : x.route->counted_headers) {
    const auto named = [&name](const http::Field& field) { return http::same_variable(field.name, name); };
    if (std::count_if(x.request.fields.begin(), x.request.fields.end(), named) > 1)
      return ambiguous("A header that requests are counted by occurs twice.");
  }
  return {};
}

}  // namespace headgate::gateway
