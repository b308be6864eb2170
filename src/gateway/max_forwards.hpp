#pragma once
// Max-Forwards: how many hops an OPTIONS or TRACE request may still go (RFC 9110 section 7.6.2).

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <optional>
#include <string_view>

namespace headgate::gateway {

/// Whether the field means anything to requests of this method.
constexpr bool counts_hops(std::string_view method) noexcept { return method == "OPTIONS" || method == "TRACE"; }

/// Whether the request ends here, because no hop is left to it or nobody could tell how many are.
bool ends_here(const Exchange& x) noexcept;

/// The answer to a request that ends here: of OPTIONS which methods there are, of TRACE what came in, without what may
/// be secret. 400 where the field is not one number.
Task<std::optional<Problem>> answer_as_last(Exchange& x, RejectionHeaders style);

/// Takes this hop off the number in `fields`, which are to be sent on. Not where the request ends here.
void count_hop(Exchange& x, http::Fields& fields);

}  // namespace headgate::gateway
