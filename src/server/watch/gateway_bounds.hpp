#pragma once
// The bounds of a gateway, read from the objects that keep them. These objects outlive the table.

#include "server/gateway_service.hpp"

#include "headgate/admin/bounds.hpp"
#include "headgate/admin/event_feed.hpp"
#include "headgate/admin/live_feed.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/server/admin_listener.hpp"
#include "headgate/session/sessions.hpp"

#include <functional>

namespace headgate::server {

/// Adds connections, handshakes, buffers and descriptors.
void add_connection_bounds(admin::BoundsBoard& bounds, const admin::OperatorBoard& operators, session::Totals& totals);
/// Adds keys, suspensions and overrides.
void add_key_bounds(admin::BoundsBoard& bounds, const Shared& shared, const Clock& clock);
/// Adds places at servers, and the queues in front of them.
void add_upstream_bounds(admin::BoundsBoard& bounds, const Shared& shared);
/// Adds data that waits to be written or sent: lines, spans, webhooks, billed use; and routes with metrics of their
/// own.
void add_report_bounds(admin::BoundsBoard& bounds, const Shared& shared);
/// Adds the bounds of the admin interface.
void add_admin_bounds(admin::BoundsBoard& bounds, const AdminListener& admin, const admin::EventFeed& events,
                      const admin::LiveFeed& live);

/// Returns a function for a ReasonWatch that checks every two seconds which bounds are reached, or nearly reached.
std::function<void()> near_bounds_of(Shared& shared, const Clock& clock);

}  // namespace headgate::server
