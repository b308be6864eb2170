#pragma once
// Max-Forwards: how many hops an OPTIONS or TRACE request may still go (RFC 9110 section 7.6.2).

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <optional>
#include <string_view>

namespace headgate::gateway {

/// Whether the field applies to requests of this method.
constexpr bool counts_hops(std::string_view method) noexcept { return method == "OPTIONS" || method == "TRACE"; }

/// Whether the request ends here: no hop is left, or the field is malformed.
bool ends_here(const Exchange& x) noexcept;

/// How a request that ends here is answered: with this status, or with a problem if the field is malformed.
std::optional<Problem> problem_of_last(const Exchange& x);
unsigned status_of_last(const Exchange& x) noexcept;

/// Decreases the number in `fields`, which are for the server. Not for a request that ends here.
void count_hop(Exchange& x, http::Fields& fields);

}  // namespace headgate::gateway
