#pragma once
// The bounds of a gateway, read where they are kept. All of it outlives the table.

#include "server/admin/event_feed.hpp"
#include "server/gateway_service.hpp"

#include "headgate/server/admin.hpp"
#include "headgate/server/bounds.hpp"
#include "headgate/session/sessions.hpp"

#include <functional>

namespace headgate::server {

/// Connections, handshakes, buffers and descriptors.
void add_connection_bounds(Bounds& bounds, const OperatorBoard& operators, session::Totals& totals);
/// Keys, suspensions and overrides.
void add_key_bounds(Bounds& bounds, const Shared& shared);
/// Places at servers, and the queues before them.
void add_upstream_bounds(Bounds& bounds, const Shared& shared);
/// What waits to be written or sent: lines, spans, webhooks, billed use; and routes with metrics of their own.
void add_report_bounds(Bounds& bounds, const Shared& shared);
/// The admin interface's own.
void add_admin_bounds(Bounds& bounds, const Admin& admin, const EventFeed& events);

/// For a ReasonWatch: looks every two seconds, and tells which bounds are nearly reached.
std::function<void()> near_bounds_of(Shared& shared);

}  // namespace headgate::server
