#pragma once
// What a request under way does at this moment, told from its exchange between two of its steps. Worker thread only.

#include "headgate/gateway/connection_call.hpp"
#include "headgate/gateway/exchange.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

/// A word of ours: "deciding", "limit", "queue", "retry", "receiving", "connecting", "server", "sending", "streaming",
/// "tunnel". docs/admin.md explains them.
std::string_view state_of(const Exchange& x) noexcept;

/// The address that the log will have.
const boost::asio::ip::address& logged_address(const Exchange& x) noexcept;

/// When it began, as its name has it.
std::uint64_t begun_of(const Exchange& x) noexcept;

/// All but its name and its age.
RequestUnderWay describe(const Exchange& x, const std::vector<std::string>& callers);

}  // namespace headgate::gateway
