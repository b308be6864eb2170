#pragma once
// Tickets and passes of a waiting room in requests and answers.

#include "headgate/gateway/exchange.hpp"
#include "headgate/room/ticket.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::gateway {

/// Whose a ticket is: the values of the room's `per`, the address where one is absent, "" if it is anybody's.
std::string_view owner_of_ticket(Exchange& x, const CompiledRoom& room);

/// What the caller sent, verified. Nothing if it sent no ticket, several, or one that is not for this room and owner.
/// Sets x.room.cookie if it came in a cookie.
std::optional<room::Ticket> presented_ticket(Exchange& x, const CompiledRoom& room, std::string_view owner);

/// Signs a ticket for the caller and puts it into x.room. `keep`: how long a browser keeps it.
void give_ticket(Exchange& x, const CompiledRoom& room, std::string_view owner, const room::Ticket& ticket,
                 Duration keep);

/// Appends what x.room gives to the caller, and says that no shared cache may keep the answer. Only for a route with a
/// room, and if it gives anything.
void append_ticket(Exchange& x, http::Fields& fields);

/// Removes tickets and passes of all rooms from fields for a server.
void drop_tickets(Exchange& x, const CompiledConfig& compiled, http::Fields& fields);

}  // namespace headgate::gateway
