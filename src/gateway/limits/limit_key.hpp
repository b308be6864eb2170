#pragma once
// The key of a counter as text: the values of a limit's `per` for one exchange.

#include "headgate/core/hash.hpp"
#include "headgate/gateway/exchange.hpp"

#include <optional>
#include <string_view>

namespace headgate::gateway {

/// The values of `per` joined by '|', which is escaped inside values. At most 256 bytes: a longer key becomes a digest.
/// Nothing if a value is absent. Contains no secret. A view into x.text or the exchange.
std::optional<std::string_view> key_of(Exchange& x, const std::vector<limit::Per>& per);

/// The line in which a request waits for a place at its upstream: that of its caller, as the queue's `per` tells
/// callers apart; of its address if that is not known.
Hash line_of(Exchange& x);

/// The first of `per` that this request lacks; null if it has all.
const limit::Per* first_absent(Exchange& x, const std::vector<limit::Per>& per);

/// The digest as a key (identity::digest_text). A view into `arena`.
std::string_view digest_text(TextArena& arena, const identity::Sha256& digest);

}  // namespace headgate::gateway
