#include "gateway_bounds.hpp"

#include "headgate/admin/reason_watch.hpp"
#include "headgate/admin/upstream_queues.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/identity/client_address.hpp"
#include "headgate/limit/ledger_queue.hpp"
#include "headgate/net/descriptors.hpp"
#include "headgate/notify/webhook.hpp"
#include "headgate/observe/families/permits.hpp"
#include "headgate/observe/families/rooms.hpp"
#include "headgate/observe/route_series.hpp"
#include "headgate/services/billing_service.hpp"
#include "headgate/services/webhook_service.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace headgate::server {
namespace {

using Table = std::vector<admin::BoundUse>;
using Full = admin::BoundUse::Full;

std::string with_number(std::string_view who, std::uint64_t number) {
  return std::string(who) + " (" + std::to_string(number) + ')';
}

/// Returns the address with the most connections, and their number; for an IPv6 address, its block.
std::string held_by_address(const std::vector<session::ConnectionBounds::Heavy>& heaviest, unsigned ipv6_prefix) {
  if (heaviest.empty()) return {};
  std::array<char, 64> text{};
  return with_number(identity::client_ip_key(heaviest.front().address, ipv6_prefix, text), heaviest.front().open);
}

/// Detects whether counters that were in use have recently been evicted. Any thread.
class LostCounters {
 public:
  bool rises(const Clock& clock, std::uint64_t count) {
    const std::lock_guard lock(mutex_);  // also covers the clock, so that the times passed to count_ never decrease
    return count_.rises(clock.steady(), count);
  }

 private:
  std::mutex mutex_;
  admin::RisingCount count_;
};

}  // namespace

void add_connection_bounds(admin::BoundsBoard& bounds, const admin::OperatorBoard& operators, session::Totals& totals) {
  bounds.add([&operators, &totals](Table& table) {
    const auto state = operators.now();
    if (!state.active) return;
    const auto& options = state.active->config->bounds;
    const auto heaviest = totals.bounds.heaviest(1);
    const auto held_by = held_by_address(heaviest, options.ipv6_prefix);
    const auto open = totals.connections.load(std::memory_order_relaxed);
    const auto unplaced = open - std::min(open, totals.bounds.placed());
    const bool mostly_unplaced = unplaced > (heaviest.empty() ? 0 : heaviest.front().open);
    using Why = session::ConnectionBounds::Why;
    table.push_back(
        {.bound = "bounds.connections",
         .used = open,
         .most = options.connections,
         .when_full = "the address with the most connections, or else trusted proxies, lose the one that was idle "
                      "longest; if none is idle, the new connection gets a 503",
         .held_by = mostly_unplaced ? with_number("trusted proxies and exempt addresses", unplaced) : held_by,
         .refused = totals.bounds.count(Why::total)});
    if (options.connections_per_address > 0)
      table.push_back({.bound = "bounds.connections_per_address",
                       .used = heaviest.empty() ? 0 : heaviest.front().open,
                       .most = options.connections_per_address,
                       .when_full = "further connections of that address are closed",
                       .held_by = held_by,
                       .full = Full::usual});
    if (options.buffered > 0)
      table.push_back({.bound = "bounds.buffered",
                       .used = totals.lent.read(),
                       .most = options.buffered,
                       .when_full = "further requests get a 503",
                       .in_bytes = true,
                       .refused = totals.bounds.count(Why::memory)});
    table.push_back({.bound = "bounds.handshakes",
                     .used = totals.handshakes_of_one(),
                     .most = options.handshakes,
                     .when_full = "further TLS handshakes of that worker wait, and addresses take turns"});
    const auto shares = net::descriptor_shares();
    table.push_back(
        {.bound = "descriptors",
         .used = static_cast<std::uint64_t>(net::descriptors_in_use()),
         .most = static_cast<std::uint64_t>(std::max(shares.clients, 1)),
         .when_full = "no new client is accepted; the last quarter is kept for servers and the admin interface"});
  });
}

void add_key_bounds(admin::BoundsBoard& bounds, const Shared& shared, const Clock& clock) {
  bounds.add([&shared, &clock, forgotten = std::make_shared<LostCounters>()](Table& table) {
    const auto state = shared.operators.now();
    if (!state.active) return;
    admin::BoundUse keys{.bound = "memory.max_keys",
                         .used = shared.memory.keys(),
                         .most = shared.max_keys,
                         .when_full = "a limit that has more than its share forgets the key that matters least"};
    // A full table alone is no problem: a key that has all of its permits again stays until another key needs its
    // place.
    if (!forgotten->rises(clock, shared.memory.evicted_keys())) keys.full = Full::usual;
    if (admin::reaches(keys, admin::NearBounds::kEnds)) {
      const auto limits = shared.memory.keys_by_limit();
      const auto most = std::max_element(limits.begin(), limits.end(),
                                         [](const auto& a, const auto& b) { return a.tracked < b.tracked; });
      if (most != limits.end()) keys.held_by = with_number("limit " + most->limit, most->tracked);
    }
    table.push_back(std::move(keys));
    const auto held = shared.bans->table().held(clock.wall());
    table.push_back({.bound = "suspensions",
                     .used = held.keys + held.operated,  // the same number as in the operators' list and in the metric
                     .most = limit::BanTable::kMaxBans + held.operated,
                     .when_full = "the limit with the most suspensions drops the one that ends first",
                     .held_by = held.most.empty() ? "" : with_number("limit " + held.most, held.keys_of_most)});
    admin::BoundUse overrides{
        .bound = "overrides", .most = limit::OverrideBook::kMax, .when_full = "no further override is accepted"};
    std::size_t most = 0;
    for (const auto& [limit, count] : shared.overrides->book().counts(clock.wall())) {
      overrides.used += count;
      if (count <= most) continue;
      most = count;
      overrides.held_by = with_number("limit " + limit, count);
    }
    table.push_back(std::move(overrides));
    if (const auto issued = shared.keys->counts(); issued.on)
      table.push_back({.bound = "issued_keys",
                       .used = issued.issued,
                       .most = services::KeyService::kMaxIssued,
                       .when_full = "no further key is issued"});
    const bool reserves = std::ranges::any_of(
        state.active->config->listen, [](const net::ListenOptions& each) { return each.settle_within > Duration(0); });
    if (reserves) {
      const auto counts = shared.reservations.counts();
      table.push_back({.bound = "reservations",
                       .used = counts.open,
                       .most = shared.reservations.most(),
                       .when_full = "decisions of callers with many open reservations get a 503",
                       .held_by = counts.owner.empty() ? "" : with_number(counts.owner, counts.of_owner),
                       .refused = counts.refused});
    }
    for (const auto& room : state.active->config->gateway.rooms) {
      if (room.rule.visitors == 0) continue;
      const auto inside = shared.registry.gauges(observe::family::room_inside, {room.rule.name}).sum;
      table.push_back({.bound = "waiting_rooms." + room.rule.name + ".visitors",
                       .used = static_cast<std::uint64_t>(std::max(inside, 0.0)),
                       .most = room.rule.visitors,
                       .when_full = "newcomers wait until a visitor leaves",
                       .full = Full::usual});
    }
  });
}

void add_upstream_bounds(admin::BoundsBoard& bounds, const Shared& shared) {
  bounds.add([&shared](Table& table) {
    const auto state = shared.operators.now();
    if (!state.active) return;
    const auto& active = *state.active;
    const auto& upstreams = active.config->upstreams;
    for (std::size_t i = 0; i < upstreams.size() && i < active.places.size(); ++i) {
      admin::BoundUse fullest{
          .bound = "upstreams." + upstreams[i].name + ".max_in_flight",
          .when_full = "other servers get the requests; if all are full, the requests wait or get a 503",
          .full = Full::usual};
      for (std::size_t server = 0; server < active.places[i].size(); ++server) {
        const auto& places = active.places[i][server];
        if (!places || places->most() == 0) continue;
        const std::uint64_t taken = places->taken(), most = places->most();
        if (fullest.most > 0 && taken * fullest.most <= fullest.used * most) continue;
        fullest.used = taken;
        fullest.most = most;
        fullest.held_by = upstreams[i].servers[server].text;
      }
      if (fullest.most > 0) table.push_back(std::move(fullest));
    }
    std::set<std::string> queued;
    for (const auto& each : active.compiled->upstreams()) {
      const auto& places = each.concurrency;
      if (each.server_queue || (places && places->queue)) queued.insert(each.name);
      if (!places || places->in_flight == 0) continue;
      const auto now = shared.registry.gauges(observe::family::limit_in_flight, {gateway::capacity_name(each.name)});
      table.push_back({.bound = "upstreams." + each.name + ".concurrency.in_flight",
                       .used = static_cast<std::uint64_t>(std::max(now.sum, 0.0)),
                       .most = places->in_flight,
                       .when_full = "further requests wait if there is a queue, or else get a 503; \"used\" counts "
                                    "only this gateway",
                       .full = Full::usual});
    }
    for (const auto& upstream : queued) {
      const auto queues = admin::queues_of(*active.compiled, upstream, shared.flights, shared.registry);
      for (const auto& queue : queues) {
        const bool known = !table.empty() && table.back().bound == queue.key;
        if (known && queue.fullest <= table.back().used) continue;
        if (known) table.pop_back();
        table.push_back(
            {.bound = queue.key,
             .used = queue.fullest,
             .most = queue.length,
             .when_full =
                 "some requests get a 503: low priorities first, then those of the caller with the longest line"});
      }
    }
  });
}

void add_report_bounds(admin::BoundsBoard& bounds, const Shared& shared) {
  bounds.add([&shared](Table& table) {
    const auto queued = shared.logs.queued();
    for (const auto& [name, bytes] : {std::pair{"log.access", queued.access}, std::pair{"log.error", queued.error}})
      table.push_back({.bound = name,
                       .used = bytes,
                       .most = observe::Logs::kMaxQueued,
                       .when_full = "further lines of that thread are lost",
                       .in_bytes = true});
    const auto state = shared.operators.now();
    if (state.active && state.active->config->traces)
      table.push_back({.bound = "tracing",
                       .used = shared.spans.fullest(),
                       .most = observe::SpanQueue::kMaxQueued,
                       .when_full = "further spans of that worker are lost",
                       .in_bytes = true});
    if (const auto webhooks = shared.webhooks->counts())
      table.push_back({.bound = "webhook",
                       .used = webhooks->queued,
                       .most = notify::Webhook::kMaxWaiting,
                       .when_full = "the oldest webhook is dropped"});
    if (const auto billing = shared.billing->counts())
      table.push_back({.bound = "billing",
                       .used = billing->waiting,
                       .most = limit::LedgerQueue::kMaxKeys,
                       .when_full = "the use of further keys is missing in the reports"});
    if (state.active && !state.active->config->identity.user_files.empty())
      table.push_back({.bound = "passwords",
                       .used = shared.passwords.counts().waiting,
                       .most = gateway::PasswordPool::kMaxWaiting,
                       .when_full = "requests with a password get a 503, first those of the address with the most"});
    table.push_back({.bound = "metrics_of_routes",
                     .used = shared.registry.counted_routes(),
                     .most = observe::CountedRoutes::kMax,
                     .when_full = "further routes are counted together as _OTHER",
                     .full = Full::usual});
  });
}

void add_admin_bounds(admin::BoundsBoard& bounds, const AdminListener& admin, const admin::EventFeed& events,
                      const admin::LiveFeed& live) {
  bounds.add([&admin, &events, &live](Table& table) {
    const auto places = admin.places();
    table.push_back(
        {.bound = "admin.connections",
         .used = places.taken,
         .most = places.most,
         .when_full = "the address with the most connections loses the one that has waited longest for its client"});
    table.push_back({.bound = "admin.events",
                     .used = events.readers(),
                     .most = admin::EventFeed::kReaders,
                     .when_full = "a further reader of events gets a 503",
                     .full = Full::usual});
    table.push_back({.bound = "admin.dashboards",
                     .used = live.readers(),
                     .most = admin::LiveFeed::kReaders,
                     .when_full = "a further dashboard gets a 503",
                     .full = Full::usual});
  });
}

std::function<void()> near_bounds_of(Shared& shared, const Clock& clock) {
  return [&shared, &clock, near = admin::NearBounds(), next = admin::NearBounds::Steady()]() mutable {
    constexpr auto kEvery = std::chrono::seconds(2);
    const auto now = clock.steady();
    if (now < next) return;
    next = now + kEvery;
    const auto found = near.look(now, shared.bounds.table());
    shared.reasons.set_only(admin::ReasonKind::bound_reached, found.reached);
    shared.reasons.set_only(admin::ReasonKind::bound_near, found.near);
  };
}

}  // namespace headgate::server
