#include "headgate/server/gateway_service.hpp"

#include "admin_board.hpp"
#include "collect.hpp"
#include "reload.hpp"
#include "stray_signals.hpp"

#include "headgate/gateway/gateway.hpp"
#include "headgate/keyring/keyring.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/observe/event.hpp"
#include "headgate/observe/logs.hpp"
#include "headgate/server/admin.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <set>
#include <utility>

namespace headgate::server {
namespace {

/// What all workers share: made for many threads.
struct Shared {
  Shared(const config::Config& config, observe::Logs& opened) : logs(opened), memory(config.memory) {}

  observe::Logs& logs;
  limit::MemoryStore memory;
  observe::Registry registry;
  AdminBoard board;
};

class GatewayService final : public Service {
 public:
  GatewayService(const std::shared_ptr<const InForce>& in_force, Shared& shared, unsigned worker,
                 upstream::Environment environment)
      : shared_(shared),
        worker_(worker),
        environment_(environment),
        in_force_(in_force),
        snapshot_(make_snapshot(*in_force, nullptr, environment, shared.registry, worker)),
        access_log_(shared.logs.access_log()),
        gateway_({environment.loop, shared.memory, access_log_}, snapshot_) {
    shared_.board.use_redis(worker_, snapshot_->redis);
  }

  gateway::Handler& handler() override { return gateway_; }
  gateway::Timeouts timeouts() const override { return in_force_->config->gateway.timeouts; }

  void adopt(const std::shared_ptr<const InForce>& next) {
    const Kept kept{*in_force_->config, *snapshot_};
    auto snapshot = make_snapshot(*next, &kept, environment_, shared_.registry, worker_);
    shared_.board.use_redis(worker_, snapshot->redis);
    // What it has leased or held is still to be given back: it goes with the reload after this one.
    if (snapshot_->redis != snapshot->redis) retired_ = snapshot_->redis;
    gateway_.adopt(snapshot);
    snapshot_ = std::move(snapshot);
    in_force_ = next;
  }

  void stop() override {
    shared_.board.use_redis(worker_, nullptr);
    gateway_.stop();
    for (const auto& upstream : snapshot_->upstreams) upstream->stop();
    for (const auto& redis : {snapshot_->redis, retired_})
      if (redis) redis->stop();
  }

 private:
  Shared& shared_;
  unsigned worker_;
  upstream::Environment environment_;
  std::shared_ptr<const InForce> in_force_;
  gateway::SnapshotPtr snapshot_;
  std::shared_ptr<redis::Limiter> retired_;
  observe::AccessLog access_log_;
  gateway::Gateway gateway_;
};

void collect_all(Shared& shared) {
  collect_process(shared.registry);
  collect_logs(shared.registry, [&logs = shared.logs] { return logs.dropped(); });
  shared.board.collect(shared.registry);
  collect_keys(shared.registry, [&memory = shared.memory] {
    std::vector<KeysReport> out;
    for (auto& limit : memory.keys_by_limit()) out.push_back({std::move(limit.limit), limit.tracked, limit.evicted});
    return out;
  });
}

/// How long the slowest fetch of keys may take; 0 where none is fetched.
Duration longest_fetch(const config::Config& config) {
  Duration longest{0};
  if (!config.identity.jwt) return longest;
  for (const auto& issuer : config.identity.jwt->issuers)
    if (!issuer.keys.jwks_url.empty()) longest = std::max(longest, issuer.keys.fetch_timeout);
  return longest;
}

/// What is in force, and what follows it: configurations that were read again, and keys that have changed. Main thread.
class Succession {
 public:
  Succession(boost::asio::io_context& loop, const config::Config& config, const ReadAgain& read_again, Shared& shared)
      : loop_(loop), read_again_(read_again), shared_(shared), cells_(shared.registry) {
    auto first = put_in_force(loop_, config, nullptr);
    keyring_ = std::move(first.keyring);
    now_ = std::move(first.in_force);
    running_ = now_->config;
    cells_.started(headgate::now());
    shared_.board.use_limits(now_->config->limits);
    shared_.board.use_keyring(keyring_);
  }

  const std::shared_ptr<const InForce>& now() const noexcept { return now_; }

  /// Waits for keys that are fetched, so that the first requests find them; goes on without those that do not come.
  void await_keys() {
    watch_keys();
    const auto longest = longest_fetch(*now_->config);
    if (longest > Duration(0)) keyring_->await_first(longest);
  }

  void started(Tell tell) {
    tell_ = std::move(tell);
    shared_.board.begin_serving();
  }
  void ended() {
    tell_ = nullptr;
    keyring_->stop();
  }

  /// What every service is to be told; nothing where nothing changes.
  std::optional<Change> next() {
    auto next = next_in_force(loop_, read_again_, *keyring_);
    if (!next) {
      cells_.refused();
      return std::nullopt;
    }
    if (!await_new_sources(*next)) {
      cells_.refused();
      return std::nullopt;
    }
    keyring_->stop();
    keyring_ = std::move(next->keyring);
    const auto before = std::exchange(now_, std::move(next->in_force));
    cells_.applied(headgate::now());
    shared_.board.use_keyring(keyring_);
    shared_.board.use_limits(now_->config->limits);
    watch_keys();
    auto change = to_current();
    change.made = [before, after = now_, running = running_] { say_what_changed(*before, *after, *running); };
    return change;
  }

 private:
  /// An address of keys that nobody has been to yet may be mistyped: then what was in force stays so, for without keys
  /// every token would be refused. False after saying so.
  bool await_new_sources(Beginning& next) {
    std::set<std::string> known;
    for (const auto& report : keyring_->reports()) known.insert(report.source);
    const auto missing = [&](const keyring::SourceReport& report) {
      return report.keys == 0 && !report.fresh && !known.contains(report.source);
    };
    auto reports = next.keyring->reports();
    if (std::none_of(reports.begin(), reports.end(), missing)) return true;
    next.keyring->start([&](std::shared_ptr<const identity::Credentials> credentials) {
      next.in_force = with_credentials(loop_, *next.in_force, std::move(credentials));
    });
    next.keyring->await_first(longest_fetch(*next.in_force->config));
    reports = next.keyring->reports();
    const auto still = std::find_if(reports.begin(), reports.end(), missing);
    if (still == reports.end()) return true;
    next.keyring->stop();
    const std::string_view why =
        still->trouble.empty() ? "it did not answer in time" : std::string_view(still->trouble);
    observe::event(observe::LogLevel::error, "config_refused", "no keys can be had; what was in force stays so",
                   {{"source", still->source}, {"reason", why}});
    return false;
  }

  void watch_keys() {
    keyring_->start([this](std::shared_ptr<const identity::Credentials> credentials) {
      now_ = with_credentials(loop_, *now_, std::move(credentials));
      if (tell_) tell_(to_current());
    });
  }

  Change to_current() const {
    return {[next = now_](Service& service) { static_cast<GatewayService&>(service).adopt(next); }, {}};
  }

  boost::asio::io_context& loop_;
  std::shared_ptr<const InForce> now_;
  std::shared_ptr<const config::Config> running_;  // what this process began with
  std::shared_ptr<keyring::Keyring> keyring_;
  const ReadAgain& read_again_;
  Shared& shared_;
  observe::ReloadCells cells_;
  Tell tell_;
};

std::unique_ptr<Admin> make_admin(const config::Config& config, Shared& shared) {
  if (!config.admin) return nullptr;
  return std::make_unique<Admin>(*config.admin, shared.registry, [&board = shared.board] { return board.readiness(); });
}

}  // namespace

int serve_gateway(const config::Config& config, const ReadAgain& read_again) {
  ignore_stray_signals();
  std::signal(SIGHUP, SIG_IGN);  // until there is somebody to read again what is being read now
  observe::Logs logs(config.log);
  boost::asio::io_context main_loop{1};
  Shared shared(config, logs);
  Succession succession(main_loop, config, read_again, shared);
  collect_all(shared);
  const auto admin = make_admin(config, shared);
  if (admin) {
    if (const auto started = admin->start(); started.has_error()) {
      std::fprintf(stderr, "headgate: %s\n", started.error().c_str());
      return 1;
    }
  }
  succession.await_keys();
  const Options options{config.listen, config.workers, config.drain_delay, config.drain, config.gateway.bounds};
  unsigned worker = 0;
  const MakeService make = [&](upstream::Environment environment) {
    return std::make_unique<GatewayService>(succession.now(), shared, worker++, environment);
  };
  const Signals signals{[&] { return succession.next(); }, [&] { logs.reopen(); }, [&] { shared.board.begin_drain(); },
                        [&](Tell tell) { succession.started(std::move(tell)); }, [&] { succession.ended(); }};
  const auto result = serve(main_loop, options, make, signals);
  if (admin) admin->stop();
  return result;
}

}  // namespace headgate::server
