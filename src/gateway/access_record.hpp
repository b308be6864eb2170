#pragma once
// What the access log is told of an exchange.

#include "headgate/gateway/exchange.hpp"
#include "headgate/observe/access_log.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

/// All but how long it took and who the caller is. Views into `x`, and into what it holds on to.
void fill(Exchange& x, observe::AccessRecord& record);

/// What each of `words` ("owner", "jwt.<claim>") is of this caller; empty where it is nothing. A view of `room`, which
/// has a place for each.
std::span<const std::string_view> told_callers(const Exchange& x, const std::vector<std::string>& words,
                                               std::span<std::string_view> room) noexcept;

}  // namespace headgate::gateway
