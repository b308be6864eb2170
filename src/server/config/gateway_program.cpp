#include "gateway_program.hpp"

#include "server/service_notice.hpp"
#include "server/watch/descriptor_notice.hpp"
#include "server/watch/gateway_bounds.hpp"
#include "server/watch/watched_upstreams.hpp"
#include "server/workers.hpp"

#include "headgate/keyring/keyring.hpp"
#include "headgate/observe/event.hpp"

#include <boost/asio/post.hpp>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace headgate::server {

GatewayProgram::GatewayProgram(boost::asio::io_context& loop, SideThread& side, const config::Config& config,
                               const ReadAgain& read_again, Shared& shared)
    : loop_(loop),
      side_(side),
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
      calls_(
          std::make_shared<ReloadCalls>(loop, [this](ReloadFrom from, Tell tell) { reload(from, std::move(tell)); })) {
  kept_.use_file(make_ready(side_, config));
  activate(prepare_config(loop_, side_, kept_.now(), nullptr, nullptr));
  shared_.overrides->serve([this](const auto& overrides) { return with_overrides(side_, *now_, overrides)->overrides; },
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
  now_ = with_overrides(side_, *next.active, shared_.overrides->book().list(headgate::now()));
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

void GatewayProgram::with_redis(std::function<void(std::shared_ptr<redis::SharedLimiter>)> what) {
  if (workers_ == nullptr) return;
  const auto once = std::make_shared<std::atomic<bool>>(false);
  workers_->tell([once, what = std::move(what)](Service& service) {
    if (!once->exchange(true)) what(static_cast<GatewayService&>(service).redis());
  });
}

void GatewayProgram::watch(const std::vector<std::string>& paths) {
  watch_.emplace(loop_, paths, [this] { reload(); });
}

void GatewayProgram::use_overrides(const std::vector<limit::Override>& overrides, const std::function<void()>& done) {
  now_ = with_overrides(side_, *now_, overrides);
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
        if (watch_) watch_->stop();
        tell_service_manager("MAINPID=" + std::to_string(next));
        // It has the address of the admin interface as well.
        if (auto off = admin_->prepare(std::nullopt); off.has_value()) admin_->use(std::move(*off));
        std::exchange(handed_over_, {})();
      },
      [this] { return [parts = parts()] { return write_state(parts); }; });
}

void GatewayProgram::upgrade(const std::function<void()>& handed_over) {
  if (!handover_ || !workers_ || draining_) return;
  // The new process must get the sockets that the reload is about to open.
  if (reloading_) return after_reload_.push_back([this, handed_over] { upgrade(handed_over); });
  handed_over_ = handed_over;
  handover_->begin(workers_->listeners().descriptors(), admin_->descriptors());
}

void GatewayProgram::draining() {
  draining_ = true;
  shared_.reasons.set(ReasonKind::draining);
  shared_.agreement->stop();  // the next process may have other limits
  shared_.operators.begin_drain();
  handover_->stop();
  if (!handed_over_to_) tell_service_manager("STOPPING=1");
  if (at_drain_) boost::asio::post(loop_, at_drain_);  // after the event of the drain
}

void GatewayProgram::ended() {
  workers_ = nullptr;
  certificates_.stop();
  calls_->close();
  shared_.operators.close();
  asked_.clear();
  told_.clear();
  after_reload_.clear();
  reloading_ = false;  // what is being read is not waited for; a call that is on its way here is told so
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
