#pragma once
// The bounds of a gateway, read where they are kept. All of it outlives the table.

#include "server/gateway_service.hpp"

#include "headgate/admin/bounds.hpp"
#include "headgate/admin/event_feed.hpp"
#include "headgate/admin/live_feed.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/server/admin_listener.hpp"
#include "headgate/session/sessions.hpp"

#include <functional>

namespace headgate::server {

/// Connections, handshakes, buffers and descriptors.
void add_connection_bounds(admin::BoundsBoard& bounds, const admin::OperatorBoard& operators, session::Totals& totals);
/// Keys, suspensions and overrides.
void add_key_bounds(admin::BoundsBoard& bounds, const Shared& shared, const Clock& clock);
/// Places at servers, and the queues before them.
void add_upstream_bounds(admin::BoundsBoard& bounds, const Shared& shared);
/// What waits to be written or sent: lines, spans, webhooks, billed use; and routes with metrics of their own.
void add_report_bounds(admin::BoundsBoard& bounds, const Shared& shared);
/// The admin interface's own.
void add_admin_bounds(admin::BoundsBoard& bounds, const AdminListener& admin, const admin::EventFeed& events,
                      const admin::LiveFeed& live);

/// For a ReasonWatch: looks every two seconds, and tells which bounds are reached or nearly so.
std::function<void()> near_bounds_of(Shared& shared, const Clock& clock);

}  // namespace headgate::server
