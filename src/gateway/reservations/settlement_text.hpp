#pragma once
// The body of a call that settles a reservation.

#include "headgate/gateway/reservations/reservation_book.hpp"

#include <string>
#include <string_view>

namespace headgate::gateway {

/// Reads `{"reservation": "ID", "used": {"LIMIT": 812}}` or `{"reservation": "ID", "cancel": true}`, in any order.
/// Returns why the text is no settlement, as a sentence; "" if it is one. Numbers must be whole, from 0 to
/// kMaxRequests. Unknown and repeated members are errors.
std::string read_settlement(std::string_view text, Settlement& out);

}  // namespace headgate::gateway
