#pragma once
// Makes the record of an exchange for the access log.

#include "headgate/gateway/exchange.hpp"
#include "headgate/observe/access_log.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

/// Fills everything but the elapsed time and the callers. The views are into `x`, and valid as long as it.
void fill(Exchange& x, observe::AccessRecord& record);

/// The value of each of `words` ("owner", "jwt.<claim>") for this caller; empty if it has none. A view of `room`, which
/// must have a place for each.
std::span<const std::string_view> caller_values(const Exchange& x, const std::vector<std::string>& words,
                                                std::span<std::string_view> room) noexcept;

}  // namespace headgate::gateway
