#pragma once
// Tickets and passes of a waiting room in requests and answers.

#include "headgate/gateway/exchange.hpp"
#include "headgate/room/ticket.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::gateway {

/// Returns the owner of the ticket: the values of the room's `per`, the address if a value is absent, or "" if anybody
/// may use the ticket.
std::string_view owner_of_ticket(Exchange& x, const CompiledRoom& room);

/// Returns the ticket that the caller sent, verified. Returns nothing if there is no ticket, if there are several, or
/// if it is not for this room and owner. Sets x.room.cookie if it came in a cookie.
std::optional<room::Ticket> presented_ticket(Exchange& x, const CompiledRoom& room, std::string_view owner);

/// Signs a ticket for the caller and puts it into x.room. `keep` is the time for which a browser keeps it.
void give_ticket(Exchange& x, const CompiledRoom& room, std::string_view owner, const room::Ticket& ticket,
                 Duration keep);

/// Appends the ticket in x.room to the fields, and forbids shared caches to keep the answer. Only for a route with a
/// room, and if there is a ticket.
void append_ticket(Exchange& x, http::Fields& fields);

/// Removes the tickets and passes of all rooms from fields for a server.
void drop_tickets(Exchange& x, const CompiledConfig& compiled, http::Fields& fields);

}  // namespace headgate::gateway
