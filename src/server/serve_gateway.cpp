#include "headgate/server/serve_gateway.hpp"

#include "process.hpp"
#include "server/config/gateway_program.hpp"
#include "server/upgrade/handover.hpp"
#include "server/upgrade/passed_sockets.hpp"
#include "server/watch/gateway_bounds.hpp"
#include "side_thread.hpp"
#include "simulate_live.hpp"

#include "headgate/admin/collect.hpp"
#include "headgate/admin/endpoints.hpp"
#include "headgate/admin/event_feed.hpp"
#include "headgate/admin/reason_watch.hpp"
#include "headgate/identity/key_record.hpp"
#include "headgate/net/loop_clock.hpp"
#include "headgate/redis/fingerprints.hpp"
#include "headgate/redis/ledger.hpp"
#include "headgate/redis/notice_marks.hpp"
#include "headgate/redis/shared_log.hpp"
#include "headgate/server/admin_listener.hpp"
#include "headgate/services/top_service.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace headgate::server {
namespace {

/// Maximum time that a gateway waits for Redis at its start, so that it knows suspensions and overrides before its
/// first request.
constexpr auto kLongestWait = std::chrono::seconds(1);

services::OpenLog open_ban_log(boost::asio::io_context& loop) {
  return [&loop](const config::Config& config) -> std::shared_ptr<limit::SharedLog> {
    if (!config.redis) return nullptr;
    Duration kept{0};
    for (const auto& limit : config.limits)
      if (limit.ban) kept = std::max(kept, limit.ban->longest);
    return std::make_shared<redis::RedisSharedLog>(loop, *config.redis, redis::kBans, kept);
  };
}

/// Makes the log of overrides. Entries of overrides that have ended are not kept, because they have no effect.
services::OpenLog open_override_log(boost::asio::io_context& loop) {
  return [&loop](const config::Config& config) -> std::shared_ptr<limit::SharedLog> {
    if (!config.redis) return nullptr;
    return std::make_shared<redis::RedisSharedLog>(loop, *config.redis, redis::kOverrides, Duration(0));
  };
}

const redis::LogKind kKeyLog{
    .name = "keys",
    .field = "key",
    .event = "key_log",
    .what = "API keys that gateways issue and revoke",
    .readable = [](const limit::LogEntry& entry) { return identity::read_record(entry.text).has_value(); }};

services::OpenLog open_key_log(boost::asio::io_context& loop) {
  return [&loop](const config::Config& config) -> std::shared_ptr<limit::SharedLog> {
    if (!config.redis) return nullptr;
    return std::make_shared<redis::RedisSharedLog>(loop, *config.redis, kKeyLog, Duration(0));
  };
}

/// The time from the end of a drain to the end of the process. Kubernetes, with the project's chart, gives a pod ten
/// seconds more than the drain.
constexpr auto kLongestEnd = std::chrono::seconds(8);

/// Returns a name of this process for the ledger.
std::string random_sender() {
  std::random_device random;
  std::array<char, 2 * 8 + 1> text{};
  std::snprintf(text.data(), text.size(), "%08x%08x", random(), random());
  return text.data();
}

services::OpenLedger open_ledger(boost::asio::io_context& loop) {
  return [&loop, name = random_sender()](const config::Config& config) -> std::shared_ptr<limit::Ledger> {
    return config.redis ? std::make_shared<redis::RedisLedger>(loop, *config.redis, name) : nullptr;
  };
}

std::shared_ptr<services::QuotaService> quota_service(boost::asio::io_context& loop, Clock& clock,
                                                      std::shared_ptr<services::WebhookService> webhooks) {
  return std::make_shared<services::QuotaService>(
      clock,
      [&loop](const config::Config& config) { return std::make_shared<redis::RedisNoticeMarks>(loop, *config.redis); },
      [webhooks = std::move(webhooks)](std::string id, std::string body, std::function<void(notify::Fate)> ended) {
        return webhooks->send(std::move(id), std::move(body), std::move(ended));
      });
}

/// Returns the name of this gateway for other gateways. It depends on the hash secret, which a process takes over from
/// the process that it replaces, so both count as one gateway.
std::string name_of_gateway() {
  const auto secret = keyed_hash("name of this gateway", 0);
  std::array<char, 16 + 1> text{};
  std::snprintf(text.data(), text.size(), "%016llx",
                static_cast<unsigned long long>(stable_hash(std::to_string(secret.high) + std::to_string(secret.low))));
  return text.data();
}

std::shared_ptr<services::AgreementService> agreement_service(boost::asio::io_context& loop, Clock& clock,
                                                              admin::Reasons& reasons) {
  return std::make_shared<services::AgreementService>(
      clock,
      [&loop, name = name_of_gateway()](const config::Config& config) {
        return std::make_shared<redis::RedisFingerprints>(loop, *config.redis, name);
      },
      [&reasons](const auto& limits) { reasons.set_only(admin::ReasonKind::gateways_disagree, limits); },
      [&reasons](const services::FleetCount& count, std::uint32_t configured) {
        fleet_of_process()->seen(count.most());
        admin::tell_gateways(reasons, count.lasting(), configured);
      });
}

void collect_all(Shared& shared) {
  admin::collect_process(shared.registry);
  admin::collect_logs(shared.registry, [&logs = shared.logs] { return logs.dropped(); });
  shared.board.collect(shared.registry);
  shared.reasons.collect(shared.registry);
  shared.bounds.collect(shared.registry);
  admin::collect_candidate(shared.registry, [&operators = shared.operators]() -> std::optional<std::size_t> {
    const auto active = operators.now().active;
    if (!active || !active->candidate) return std::nullopt;
    return active->candidate->state->memory.keys();
  });
  admin::collect_bans(shared.registry, shared.bans->table(), [&operators = shared.operators] {
    std::vector<std::string> out;
    if (const auto active = operators.now().active)
      for (const auto& limit : active->config->limits)
        if (limit.ban) out.push_back(limit.name);
    return out;
  });
  admin::collect_passwords(shared.registry, shared.passwords);
  admin::collect_overrides(shared.registry, shared.overrides->book());
  services::collect_issued_keys(shared.registry, [&keys = *shared.keys] { return keys.counts(); });
  services::collect_billing(shared.registry, [&billing = *shared.billing] { return billing.counts(); });
  admin::collect_webhooks(shared.registry, [&webhooks = *shared.webhooks] { return webhooks.counts(); });
  admin::collect_gateways(shared.registry, [&operators = shared.operators]() -> std::optional<admin::GatewayCounts> {
    const auto active = operators.now().active;
    if (!active || !active->config->redis) return std::nullopt;
    return admin::GatewayCounts{.seen = fleet_of_process()->seen(), .configured = active->config->redis->instances};
  });
  admin::collect_notices(shared.registry, [&quotas = *shared.quotas] { return quotas.counts(); });
  admin::collect_keys(shared.registry, [&memory = shared.memory] {
    std::vector<admin::KeysReport> out;
    for (auto& limit : memory.keys_by_limit()) out.push_back({std::move(limit.limit), limit.keys, limit.evicted});
    return out;
  });
}

admin::Subjects subjects_of(Shared& shared, GatewayProgram& program, SideThread& side,
                            const config::ReadAgain& read_again, admin::EventFeed& events, admin::LiveFeed& live,
                            admin::ConnectionCalls& connections) {
  auto& operators = shared.operators;
  return {
      .board = shared.board,
      .operators = operators,
      .reasons = shared.reasons,
      .fleet = *fleet_of_process(),
      .bounds = shared.bounds,
      .refused = shared.refused,
      .explain = shared.explain,
      .events = events,
      .live = live,
      .simulate =
          [simulation = std::make_shared<SimulateLive>(
               operators, shared.logs, [&side](std::function<void()> what) { return side.run(std::move(what)); })](
              std::string config, const admin::AdminEndpoint::Give& give) { simulation->ask(std::move(config), give); },
      .connections = connections,
      .reloads = program.calls(),
      .candidate = program.candidate_calls(),
      .rates = program.rates(),
      .bans = shared.bans,
      .overrides = shared.overrides,
      .keys = shared.keys,
      .billing = shared.billing,
      .top = program.top(),
      .memory = shared.memory,
      .flights = shared.flights,
      .logs = shared.logs,
      .registry = shared.registry,
      .read_again = read_again,
      .aside = [&side](std::function<void()> what) { return side.run(std::move(what)); },
      .with_redis =
          [&operators, &program](auto what) {
            (void)operators.on_main_thread([&program, what = std::move(what)] { program.with_redis(what); });
          },
      .certificates = [&program] { return program.certificates().rows(); },
      .drain = [] { (void)std::raise(SIGTERM); },
      .tell_state =
          [&operators, &program](const admin::ServerState& now) {
            (void)operators.on_main_thread([&program, now] { program.use_state(now.upstream, now.server, now.down); });
          },
      .tell_size =
          [&operators, &program](const std::string& upstream, const std::string& server,
                                 const admin::WantedSize& size) {
            return operators.on_main_thread(
                [&program, upstream, server, size] { program.use_size(upstream, server, size); });
          }};
}

/// Stops the side thread before the admin interface ends, because tasks of that thread give answers to it. Does so also
/// if an exception is thrown.
struct StopsFirst {
  SideThread& side;
  ~StopsFirst() { side.stop(); }
};

}  // namespace

// Starts the parts of a gateway. The logs come first, so that every failure is logged. The active configuration
// follows, which fails for a bad key file. Then come the admin interface, so that the wait for keys can be observed,
// and the workers.
int serve_gateway(const config::Config& config, const config::ReadAgain& read_again,
                  const std::vector<std::string>& watched) {
  const bool same_hashes = TakenOver::adopt_secret();
  auto command = CommandLine::of_this_process();
  ignore_stray_signals();
  std::signal(SIGHUP, SIG_IGN);  // ignored until the program handles it
  observe::Logs logs(config.log);
  EndAtLatest at_latest;
  boost::asio::io_context main_loop{1};
  net::LoopClock clock(main_loop);
  const auto webhooks = std::make_shared<services::WebhookService>(main_loop, clock);
  Shared shared(config, logs, webhooks,
                std::make_shared<services::BanService>(clock, open_ban_log(main_loop), webhooks),
                std::make_shared<services::OverrideService>(clock, open_override_log(main_loop)),
                std::make_shared<services::KeyService>(clock, open_key_log(main_loop)),
                std::make_shared<services::BillingService>(clock, open_ledger(main_loop)),
                quota_service(main_loop, clock, webhooks), main_loop, clock);
  shared.reasons.set(admin::ReasonKind::starting);
  shared.agreement = agreement_service(main_loop, clock, shared.reasons);
  SideThread side;
  GatewayProgram program(main_loop, clock, side, config, read_again, shared);
  if (!watched.empty()) program.watch(watched);
  collect_all(shared);
  admin::collect_connections(shared.registry, program.totals());
  auto passed = PassedSockets::from_environment();
  PassedSockets passed_to_admin;
  auto taken = TakenOver::from_environment(passed, passed_to_admin);
  const bool replaces = taken.begun();
  const auto run = [&] {
    admin::EventFeed events;
    admin::LiveFeed live;  // continues during a drain, so that clients of the feed can observe the drain
    program.at_drain([&events, &at_latest](Duration in_flight) {
      events.close();
      at_latest.begin(in_flight + kLongestEnd);
    });
    admin::ConnectionCalls connections(shared.operators, main_loop, program.totals());
    AdminListener admin(
        config.admin, shared.registry, [&reasons = shared.reasons] { return admin::readiness_of(reasons); },
        admin::endpoints_of(subjects_of(shared, program, side, read_again, events, live, connections)));
    const StopsFirst stops_first{side};
    add_connection_bounds(shared.bounds, shared.operators, program.totals());
    add_key_bounds(shared.bounds, shared, clock);
    add_upstream_bounds(shared.bounds, shared);
    add_report_bounds(shared.bounds, shared);
    add_admin_bounds(shared.bounds, admin, events, live);
    program.use_admin(admin);
    program.hand_over_by(std::move(taken), std::move(command));
    // A process that replaces another one waits for its keys before its admin interface starts, because until then the
    // previous process answers.
    const auto wait = [&] {
      program.await_keys();
      const auto end = std::chrono::steady_clock::now() + kLongestWait;
      const auto all_read = [&] {
        return shared.bans->has_read() && shared.overrides->has_read() && shared.keys->has_read();
      };
      while (!all_read() && std::chrono::steady_clock::now() < end) main_loop.run_one_until(end);
      if (main_loop.stopped()) main_loop.restart();
    };
    if (replaces) {
      wait();
      shared.reasons.clear(admin::ReasonKind::starting);
    }
    if (const auto started = admin.start(replaces ? &passed_to_admin : &passed); started.has_error()) {
      if (!tell_replaced(started.error())) std::fprintf(stderr, "headgate: %s\n", started.error().c_str());
      return 1;
    }
    if (!replaces) wait();
    program.take_state(same_hashes);  // as late as possible, because the previous process counts requests until then
    const ServeOptions options{.listen = config.listen, .workers = config.workers, .reloads = true, .passed = &passed};
    const auto result = serve(main_loop, options, program);
    events.close();
    live.close();
    side.stop();
    admin.stop();
    return result;
  };
  try {
    return run();
  } catch (const std::exception& failure) {
    // The failure is reported here, while `program` still has the socket to the previous process.
    if (!tell_replaced(std::string("cannot start: ") + failure.what())) throw;
    return 1;
  }
}

}  // namespace headgate::server
