#pragma once
// Who shares one counter, as text: the values of a limit's `per` for one exchange.

#include "headgate/gateway/exchange.hpp"

#include <optional>
#include <string_view>

namespace headgate::gateway {

enum class ApiKeyAs { text, digest };

/// The values of `per` joined by '|' (which is escaped inside values), at most 256 bytes: what is longer becomes a
/// digest. Nothing where one of them is absent. `ApiKeyAs::digest` keeps the secret itself out of the text. A view into
/// x.text.
std::optional<std::string_view> subject_of(Exchange& x, const std::vector<limit::Per>& per, ApiKeyAs api_key);

}  // namespace headgate::gateway
