#pragma once
// Who shares one counter, as text: the values of a limit's `per` for one exchange.

#include "headgate/gateway/exchange.hpp"

#include <optional>
#include <string_view>

namespace headgate::gateway {

/// The values of `per` joined by '|' (which is escaped inside values), at most 256 bytes: what is longer becomes a
/// digest. Nothing where one of them is absent. No secret is ever part of it. A view into x.text.
std::optional<std::string_view> key_of(Exchange& x, const std::vector<limit::Per>& per);

/// The first of `per` that this caller does not have; null where it has them all.
const limit::Per* first_absent(Exchange& x, const std::vector<limit::Per>& per);

/// '~' and 128 bits of a digest in hex: the same in every gateway, and nobody finds a second text with it. A view into
/// `arena`.
std::string_view digest_text(TextArena& arena, const identity::Sha256& digest);

}  // namespace headgate::gateway
