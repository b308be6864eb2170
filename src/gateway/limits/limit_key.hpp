#pragma once
// The key of a counter as text: the values of a limit's `per` for one exchange.

#include "headgate/core/hash.hpp"
#include "headgate/gateway/exchange.hpp"

#include <optional>
#include <string_view>

namespace headgate::gateway {

/// Returns the values of `per`, joined by '|', which is escaped inside values. At most 256 bytes: a longer key becomes
/// a digest. Returns nothing if a value is absent. Contains no secret. A view into x.text or the exchange.
std::optional<std::string_view> key_of(Exchange& x, const std::vector<limit::Per>& per);

/// Returns the line of the queue in which a request waits for a place at its upstream. Each caller has a line of its
/// own: callers are told apart by the queue's `per`, or by address if a value of `per` is absent.
Hash line_of(Exchange& x);

/// Returns the key that chooses the server, if the policy of the upstream uses one; nothing if the request has none.
std::optional<std::uint64_t> server_key(Exchange& x);

/// Returns the first element of `per` that this request lacks; null if it has all.
const limit::Per* first_absent(Exchange& x, const std::vector<limit::Per>& per);

/// Returns the digest as a key (identity::digest_text). A view into `arena`.
std::string_view digest_text(TextArena& arena, const identity::Sha256& digest);

}  // namespace headgate::gateway
