#include "gateway_program.hpp"

#include "descriptor_notice.hpp"
#include "gateway_bounds.hpp"
#include "service_notice.hpp"
#include "watched_upstreams.hpp"
#include "workers.hpp"

#include "headgate/keyring/keyring.hpp"
#include "headgate/observe/event.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace headgate::server {
namespace {

/// How long the slowest fetch of keys may take; 0 if no keys are fetched.
Duration longest_fetch(const config::Config& config) {
  Duration longest{0};
  if (!config.identity.jwt) return longest;
  for (const auto& issuer : config.identity.jwt->issuers)
    if (!issuer.keys.jwks_url.empty()) longest = std::max(longest, issuer.keys.fetch_timeout);
  return longest;
}

/// Gives `next` to every service, between two of its steps.
std::function<void(Service&)> adopting(std::shared_ptr<const ActiveConfig> next) {
  return [next = std::move(next)](Service& service) { static_cast<GatewayService&>(service).adopt(next); };
}

}  // namespace

GatewayProgram::GatewayProgram(boost::asio::io_context& loop, const config::Config& config, const ReadAgain& read_again,
                               Shared& shared)
    : loop_(loop),
      read_again_(read_again),
      shared_(shared),
      counters_(shared.registry),
      certificates_(loop, shared.registry),
      server_watch_(loop, shared.registry),
      server_care_(loop, shared.registry, shared.board),
      top_(std::make_shared<TopService>(loop, shared.logs)),
      rates_(loop, shared.registry),
      reason_watch_(loop),
      traces_(loop, shared.spans, shared.registry),
      calls_(std::make_shared<ReloadCalls>(loop, [this](Tell tell) { reload(std::move(tell)); })) {
  activate(prepare_config(loop_, config, nullptr, nullptr));
  shared_.overrides->serve([this](const auto& overrides) { return with_overrides(loop_, *now_, overrides)->overrides; },
                           [this](const auto& overrides, const auto& done) { use_overrides(overrides, done); });
  reason_watch_.add([this] {
    const auto outage = shared_.board.redis_outage();
    tell_redis(shared_.reasons, outage ? &*outage : nullptr);
  });
  reason_watch_.add([this] { tell_upstreams(shared_.reasons, shared_.board.upstreams()); });
  reason_watch_.add([this] { tell_keys(shared_.reasons, shared_.board.sources()); });
  reason_watch_.add([this] {
    shared_.reasons.set_only(ReasonKind::name_unresolved, server_care_.failing_names());
    shared_.reasons.set_only(ReasonKind::certificate_ends, certificates_.ending());
    tell_logs(shared_.reasons, shared_.logs.failing());
  });
  reason_watch_.add([this, access = RisingCount(), error = RisingCount(), spans = RisingCount()]() mutable {
    const auto now = std::chrono::steady_clock::now();
    const auto dropped = shared_.logs.dropped();
    tell_lost(shared_.reasons, ReasonKind::log_dropping, "access", access.rises(now, dropped.access));
    tell_lost(shared_.reasons, ReasonKind::log_dropping, "error", error.rises(now, dropped.error));
    tell_lost(shared_.reasons, ReasonKind::spans_dropped, {}, spans.rises(now, traces_.lost()));
  });
  reason_watch_.add([this] { tell_shedding(shared_.reasons, *now_); });
  reason_watch_.add(near_bounds_of(shared_));
  begun_with_ = now_->config;
  counters_.started(headgate::now());
}

void GatewayProgram::activate(PendingConfig next) {
  if (keyring_) keyring_->stop();
  keyring_ = std::move(next.keyring);
  now_ = with_overrides(loop_, *next.active, shared_.overrides->book().list(headgate::now()));
  use_places(*now_);
  shared_.board.use_limits(now_->config->limits);
  shared_.board.use_unready_without_redis(now_->config->unready_without_redis);
  shared_.board.use_rooms(now_->config->gateway.rooms);
  shared_.board.use_keyring(keyring_);
  shared_.board.use_upstreams(watched_upstreams(*now_, sizes_));
  shared_.operators.use(now_);
  shared_.overrides->in_force(now_->overrides.get());
  server_watch_.use(now_);
  top_->use(now_->config);
  shared_.webhooks->use(now_->config->webhook);
  shared_.bans->adopt(now_->config);
  shared_.overrides->adopt(now_->config);
  shared_.billing->adopt(now_->config);
  shared_.quotas->adopt(now_->config);
  shared_.agreement->adopt(now_->config);
  traces_.use(now_->config->traces);
  certificates_.use_others(upstream_certificates(*now_, headgate::now()));
}

void GatewayProgram::with_redis(std::function<void(std::shared_ptr<redis::Limiter>)> what) {
  if (workers_ == nullptr) return;
  const auto once = std::make_shared<std::atomic<bool>>(false);
  workers_->tell([once, what = std::move(what)](Service& service) {
    if (!once->exchange(true)) what(static_cast<GatewayService&>(service).redis());
  });
}

void GatewayProgram::watch(const std::vector<std::string>& paths) {
  watch_.emplace(loop_, paths, [this] { reload({}); });
}

/// If the configuration was not applied, a mistake in any of its old and new files may be mended.
void GatewayProgram::watch_next(const ReadConfig& read, std::chrono::system_clock::time_point begun) {
  if (!watch_ || read.watched.empty()) return;
  auto paths = read.watched;
  if (!read.config) {
    const std::set<std::string> known(paths.begin(), paths.end());
    for (const auto& path : watch_->paths())
      if (!known.contains(path)) paths.push_back(path);
  }
  watch_->watch(std::move(paths), begun);
}

void GatewayProgram::await_keys() {
  watch_keys();
  const auto longest = longest_fetch(*now_->config);
  if (longest > Duration(0)) keyring_->await_first(longest);
}

void GatewayProgram::watch_keys() {
  keyring_->start([this](std::shared_ptr<const identity::Credentials> credentials) {
    now_ = with_credentials(loop_, *now_, std::move(credentials));
    now_ = with_overrides(loop_, *now_, shared_.overrides->book().list(headgate::now()));
    shared_.operators.use(now_);
    shared_.overrides->in_force(now_->overrides.get());
    if (workers_) workers_->tell(adopting(now_));
  });
}

void GatewayProgram::use_overrides(const std::vector<limit::Override>& overrides, const std::function<void()>& done) {
  now_ = with_overrides(loop_, *now_, overrides);
  shared_.operators.use(now_);
  shared_.overrides->in_force(now_->overrides.get());
  if (workers_ == nullptr) return done();
  workers_->tell([next = now_](Service& service) { static_cast<GatewayService&>(service).use_overrides(next); }, done);
}

std::unique_ptr<Service> GatewayProgram::make_service(upstream::Environment environment) {
  return std::make_unique<GatewayService>(now_, shared_, made_++, environment);
}

Result<std::vector<ListenerTls>, std::string> GatewayProgram::secure(Workers& workers) {
  auto next = certificates_.prepare(now_->config->listen, [&workers](const auto& options, const auto& texts) {
    return workers.make_tls(options, texts);
  });
  if (next.has_error()) return next.error().why;
  auto tls = std::move(next->tls);
  certificates_.use(std::move(*next));
  return tls;
}

void GatewayProgram::started(Workers& workers) {
  workers_ = &workers;
  certificates_.start([this](std::size_t listener, ListenerTls tls) {
    if (workers_) workers_->listeners().use_tls(listener, std::move(tls));
  });
  if (watch_) watch_->start();
  warn_of_few_descriptors(*now_->config);
  server_watch_.start();
  top_->start(workers);
  rates_.start();
  shared_.billing->start(workers);
  server_care_.use(now_, workers);
  shared_.operators.use_workers(workers.count(), totals());
  shared_.reasons.clear(ReasonKind::starting);
  reason_watch_.start();
  if (taken_over_) taken_over_->serves();
  tell_service_manager("READY=1");
}

void GatewayProgram::use_state(const std::string& upstream, const std::string& server, bool down) {
  if (workers_ == nullptr) return;
  server_care_.note_states();
  if (!down) return;
  workers_->tell(
      [upstream, server](Service& service) { static_cast<GatewayService&>(service).take_down(upstream, server); });
}

void GatewayProgram::hand_over_by(TakenOver taken, CommandLine command) {
  taken_over_.emplace(std::move(taken));
  handover_.emplace(
      loop_, std::move(command),
      [this](pid_t next) {
        observe::event(observe::LogLevel::info, "upgraded", "a new process serves", {{"pid", next}});
        handed_over_to_ = next;
        tell_service_manager("MAINPID=" + std::to_string(next));
        // It has the address of the admin interface as well.
        if (auto off = admin_->prepare(std::nullopt); off.has_value()) admin_->use(std::move(*off));
        std::exchange(handed_over_, {})();
      },
      [this] { return write_state(parts()); });
}

void GatewayProgram::upgrade(const std::function<void()>& handed_over) {
  if (!handover_ || !workers_) return;
  handed_over_ = handed_over;
  handover_->begin(workers_->listeners().descriptors(), admin_->descriptors());
}

void GatewayProgram::draining() {
  shared_.reasons.set(ReasonKind::draining);
  shared_.agreement->stop();  // the next process may have other limits
  shared_.operators.begin_drain();
  handover_->stop();
  if (!handed_over_to_) tell_service_manager("STOPPING=1");
  if (at_drain_) boost::asio::post(loop_, at_drain_);  // after the event of the drain
}

/// Keys may be waited for below, while this loop runs: another call must not begin meanwhile.
void GatewayProgram::reload(Tell tell) {
  asked_.push_back(std::move(tell));
  if (reloading_) return;
  reloading_ = true;
  told_ = std::exchange(asked_, {});
  ReloadResult result;
  const auto before = now_;
  if (workers_ == nullptr) add_mistake(result, {}, "this gateway has not begun to serve");
  result.applied = workers_ != nullptr && try_reload(result);
  shared_.operators.reloaded(result);
  log_mistakes(result);
  if (!result.applied) {
    shared_.reasons.set(ReasonKind::reload_refused, {}, shared_.operators.now().reload->why_not);
    counters_.refused();
    return ended_reload(result);
  }
  shared_.reasons.clear(ReasonKind::reload_refused);
  counters_.applied(headgate::now());
  watch_keys();
  if (before->config->gateway.bounds.connections != now_->config->gateway.bounds.connections)
    warn_of_few_descriptors(*now_->config);
  workers_->tell(adopting(now_), [this, before, after = now_, result] {
    log_changes(*before, *after, result);
    boost::asio::post(loop_, [this, result] {
      shared_.logs.close_unused();
      ended_reload(result);
    });
  });
  server_care_.use(now_, *workers_);  // after it, because the workers' upstreams may be new ones
}

void GatewayProgram::ended_reload(const ReloadResult& result) {
  reloading_ = false;
  for (const auto& tell : std::exchange(told_, {}))
    if (tell) tell(result);
  for (const auto& rest : std::exchange(after_reload_, {})) rest();
  if (asked_.empty()) return;
  const auto next = std::exchange(asked_, {});
  asked_.assign(next.begin() + 1, next.end());
  reload(next.front());
}

struct GatewayProgram::Prepared {
  std::optional<observe::Logs::Next> logs;
  std::optional<Listeners::Next> listeners;
  std::optional<Certificates::Next> certificates;
  std::optional<Admin::Next> admin;
};

// What may fail comes first, and changes nothing; then all of it takes effect.
bool GatewayProgram::try_reload(ReloadResult& result) {
  const auto begun = std::chrono::system_clock::now();
  auto read = read_again_();
  watch_next(read, begun);
  result.file = std::move(read.file);
  result.mistakes = std::move(read.mistakes);
  if (!read.config) return false;
  const auto written = read.config->upstreams;
  std::optional<PendingConfig> next;
  try {
    auto sizes = sizes_;
    sizes.keep(written);
    sizes.apply(read.config->upstreams);
    next = prepare_config(loop_, std::move(*read.config), now_.get(), keyring_.get());
  } catch (const std::exception& failure) {
    add_mistake(result, {}, failure.what());
    return false;
  }
  Prepared prepared;
  if (!await_new_sources(*next, result) || workers_ == nullptr) return false;
  const auto& config = *next->active->config;
  if (!prepare(config, prepared, result)) return false;
  result.changed = changed_keys(*now_->config, config);
  result.anew = begun_anew(*now_->config, config);
  result.waiting = waiting_for_restart(*begun_with_, config);
  shared_.logs.use(std::move(*prepared.logs));
  result.listeners = workers_->listeners().use(std::move(*prepared.listeners), config.drain);
  certificates_.use(std::move(*prepared.certificates));
  if (prepared.admin) admin_->use(std::move(*prepared.admin));
  keep_sizes(written);
  activate(std::move(*next));
  return true;
}

bool GatewayProgram::prepare(const config::Config& next, Prepared& prepared, ReloadResult& result) {
  const auto fail = [&](const config::Place& place, std::string why) {
    add_mistake(result, place, std::move(why));
    return false;
  };
  const auto& places = next.places;
  auto logs = shared_.logs.prepare(next.log);
  if (logs.has_error()) {
    const bool access = logs.error().which == observe::LogFailure::Which::access;
    return fail(access ? places.access_log : places.error_log, logs.error().why);
  }
  prepared.logs = std::move(*logs);
  auto& listeners = workers_->listeners();
  PassedSockets none;
  auto addresses = listeners.prepare(next.listen, none);
  if (addresses.has_error()) return fail(places.listen.at(addresses.error().index), addresses.error().why);
  prepared.listeners = std::move(*addresses);
  auto certificates = certificates_.prepare(
      next.listen, [this](const auto& options, const auto& texts) { return workers_->make_tls(options, texts); });
  if (certificates.has_error()) return fail(places.listen.at(certificates.error().index), certificates.error().why);
  prepared.listeners->use(std::move(certificates->tls));
  prepared.certificates = std::move(*certificates);
  if (admin_) {
    auto admin = admin_->prepare(next.admin);
    if (admin.has_error()) return fail(places.admin, admin.error());
    prepared.admin = std::move(*admin);
    if (const auto listening = admin_->listen(*prepared.admin); listening.has_error())
      return fail(places.admin, listening.error());
  }
  if (const auto listening = listeners.listen(*prepared.listeners); listening.has_error())
    return fail(places.listen.at(listening.error().index), listening.error().why);
  return true;
}

/// A new address of keys may be mistyped. Then the active configuration stays in use, because without keys
/// every token would be refused.
bool GatewayProgram::await_new_sources(PendingConfig& next, ReloadResult& result) {
  std::set<std::string> known;
  for (const auto& report : keyring_->reports()) known.insert(report.source);
  const auto missing = [&](const keyring::SourceReport& report) {
    return report.keys == 0 && !report.fresh && !known.contains(report.source);
  };
  auto reports = next.keyring->reports();
  if (std::none_of(reports.begin(), reports.end(), missing)) return true;
  next.keyring->start([&](std::shared_ptr<const identity::Credentials> credentials) {
    next.active = with_credentials(loop_, *next.active, std::move(credentials));
  });
  next.keyring->await_first(longest_fetch(*next.active->config));
  reports = next.keyring->reports();
  const auto still = std::find_if(reports.begin(), reports.end(), missing);
  if (still == reports.end()) return true;
  next.keyring->stop();
  const std::string why = still->trouble.empty() ? "it did not answer in time" : still->trouble;
  add_mistake(result, {}, "no keys can be fetched from " + still->source + ": " + why);
  return false;
}

void GatewayProgram::ended() {
  workers_ = nullptr;
  certificates_.stop();
  calls_->close();
  shared_.operators.close();
  asked_.clear();
  told_.clear();
  after_reload_.clear();
  if (watch_) watch_->stop();
  server_watch_.stop();
  top_->stop();
  rates_.stop();
  reason_watch_.stop();
  server_care_.stop();
  if (handover_) handover_->stop();
  keyring_->stop();
  shared_.bans->stop();
  shared_.overrides->stop();
  rates_.stop();
  shared_.billing->stop();
  shared_.quotas->stop();
  shared_.agreement->stop();
  shared_.webhooks->stop();  // after what sends its last by it
  traces_.stop();
}

}  // namespace headgate::server
