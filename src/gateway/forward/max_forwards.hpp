#pragma once
// Max-Forwards: how many more hops an OPTIONS or TRACE request may take (RFC 9110 section 7.6.2).

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <optional>
#include <string_view>

namespace headgate::gateway {

/// Returns whether the field applies to requests of this method.
constexpr bool counts_hops(std::string_view method) noexcept { return method == "OPTIONS" || method == "TRACE"; }

/// Returns whether the request ends here, because no hop is left or the field is malformed.
bool ends_here(const Exchange& x) noexcept;

/// Returns the problem if the field is malformed. If it is not, a request that ends here is answered with
/// status_of_last().
std::optional<Problem> problem_of_last(const Exchange& x);
unsigned status_of_last(const Exchange& x) noexcept;

/// Decreases the number in `fields`, which are for the server. Not for a request that ends here.
void count_hop(Exchange& x, http::Fields& fields);

}  // namespace headgate::gateway
