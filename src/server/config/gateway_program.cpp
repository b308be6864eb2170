#include "gateway_program.hpp"

#include "server/process.hpp"
#include "server/watch/changing_keys.hpp"
#include "server/watch/gateway_bounds.hpp"
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

GatewayProgram::GatewayProgram(boost::asio::io_context& loop, Clock& clock, SideThread& side,
                               const config::Config& config, const config::ReadAgain& read_again, Shared& shared)
    : loop_(loop),
      clock_(clock),
      side_(side),
      read_again_(read_again),
      shared_(shared),
      counters_(shared.registry),
      keyring_(shared.board),
      certificates_(clock, shared.registry,
                    [this](std::size_t listener, ListenerTls tls) {
                      if (workers_) workers_->listeners().use_tls(listener, std::move(tls));
                    }),
      server_watch_(clock, shared.registry, shared.board, sizes_),
      server_care_(clock, shared.registry, shared.board, ServerCare::calls_on(loop),
                   [this](const auto& what) { tell_workers(what); }),
      top_(std::make_shared<services::TopService>(
          clock,
          [this](const auto& each, const auto& done) {
            tell_workers([each](WorkerService& one) { each(static_cast<GatewayService&>(one).take_tops()); }, done);
          })),
      rates_(clock, shared.registry),
      reason_watch_(clock),
      traces_(loop, clock, shared.spans, shared.registry),
      candidate_watch_(clock, shared.registry),
      pid_file_(config.pid_file),
      record_(config.file),
      calls_(std::make_shared<admin::ReloadCalls>(
          loop, [this](admin::ReloadFrom from, Tell tell) { reload(from, std::move(tell)); })) {
  shared_.billing->collect_from([this](const auto& each, const auto& done) {
    tell_workers([each](WorkerService& one) { each(static_cast<GatewayService&>(one).take_sheet()); }, done);
  });
  list_services();
  kept_.use_file(make_ready(side_, config));
  file_ = kept_.now().config;
  candidate_ = kept_.now().candidate;
  activate(prepare_config(loop_, side_, kept_.now(), nullptr, nullptr));
  candidate_watch_.use(*now_, true, false);
  shared_.overrides->serve([this](const auto& overrides) { return with_overrides(side_, *now_, overrides)->overrides; },
                           [this](const auto& overrides, const auto& done) { use_overrides(overrides, done); });
  shared_.keys->serve([&side](std::function<void()> what) { return side.run(std::move(what)); },
                      [this](auto unwritten, const auto& done) { use_keys(std::move(unwritten), done); },
                      [this](const std::string& why) { tell_unwritten_keys(why); });
  reason_watch_.add([this] {
    const auto outage = shared_.board.redis_outage();
    admin::tell_redis(shared_.reasons, outage ? &*outage : nullptr);
  });
  reason_watch_.add(
      [this] { admin::tell_settling(shared_.reasons, admin::outstanding_of(shared_.board.redis()), clock_.steady()); });
  reason_watch_.add([this] { admin::tell_upstreams(shared_.reasons, shared_.board.upstreams()); });
  reason_watch_.add([this] { admin::tell_keys(shared_.reasons, shared_.board.sources()); });
  reason_watch_.add([this] {
    shared_.reasons.set_only(admin::ReasonKind::name_unresolved, server_care_.failing_names());
    shared_.reasons.set_only(admin::ReasonKind::certificate_ends, certificates_.ending());
    admin::tell_logs(shared_.reasons, shared_.logs.failing());
  });
  reason_watch_.add(
      [this, access = admin::RisingCount(), error = admin::RisingCount(), spans = admin::RisingCount()]() mutable {
        const auto now = clock_.steady();
        const auto dropped = shared_.logs.dropped();
        admin::tell_lost(shared_.reasons, admin::ReasonKind::log_dropping, "access", access.rises(now, dropped.access));
        admin::tell_lost(shared_.reasons, admin::ReasonKind::log_dropping, "error", error.rises(now, dropped.error));
        admin::tell_lost(shared_.reasons, admin::ReasonKind::spans_dropped, {}, spans.rises(now, traces_.lost()));
      });
  reason_watch_.add([this] { admin::tell_shedding(shared_.reasons, *now_, clock_.steady()); });
  reason_watch_.add(near_bounds_of(shared_, clock_));
  reason_watch_.add([this] { tell_changing_keys(shared_.reasons, *top_, *now_); });
  begun_with_ = now_->config;
  counters_.started(clock_.wall());
}

void GatewayProgram::activate(PendingConfig next) {
  keyring_.use(std::move(next.keyring));
  // hold() also reads the key file again, because a key may have been revoked since this keyring read the file.
  auto unwritten = shared_.keys->unwritten();
  if (next.active->config->identity.api_key.issue || !unwritten.empty()) {
    keyring_->hold(std::move(unwritten));
    next.active = with_credentials(side_, *next.active, keyring_->now());
  }
  now_ = with_overrides(side_, *next.active, shared_.overrides->book().list(clock_.wall()));
  shared_.board.use_config(*now_->config);
  shared_.operators.use(now_);
  services_.adopt(now_);
}

// Webhooks and spans may report events of all other services, so these two end last. A service that observes another
// one starts after it.
void GatewayProgram::list_services() {
  services_.add(traces_);
  services_.add(*shared_.webhooks);
  services_.add(server_watch_);  // starts early, because operators' changes to servers are made in its watches
  services_.add(keyring_);
  services_.add(*shared_.agreement);
  services_.add(*shared_.quotas);
  services_.add(*shared_.billing);
  services_.add(*shared_.overrides);
  services_.add(*shared_.keys);
  services_.add(*shared_.bans);
  services_.add(server_care_);
  services_.add(certificates_);
  services_.add(*top_);
  services_.add(rates_);
  services_.add(reason_watch_);
  services_.add(candidate_watch_);
}

void GatewayProgram::tell_workers(const std::function<void(WorkerService&)>& what, const std::function<void()>& done) {
  if (workers_ != nullptr) workers_->tell(what, done);
}

void GatewayProgram::with_redis(std::function<void(std::shared_ptr<redis::SharedLimiter>)> what) {
  if (workers_ == nullptr) return;
  const auto once = std::make_shared<std::atomic<bool>>(false);
  workers_->tell([once, what = std::move(what)](WorkerService& service) {
    if (!once->exchange(true)) what(static_cast<GatewayService&>(service).redis());
  });
}

void GatewayProgram::watch(const std::vector<std::string>& paths) {
  watch_.emplace(clock_, paths, [this] { reload(); });
  services_.add(*watch_);
}

void GatewayProgram::use_overrides(const std::vector<limit::Override>& overrides, const std::function<void()>& done) {
  now_ = with_overrides(side_, *now_, overrides);
  shared_.operators.use(now_);
  shared_.overrides->in_force(now_->overrides.get());
  if (workers_ == nullptr) return done();
  workers_->tell([next = now_](WorkerService& service) { static_cast<GatewayService&>(service).use_overrides(next); },
                 done);
}

std::unique_ptr<WorkerService> GatewayProgram::make_service(upstream::Environment environment) {
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
  warn_of_few_descriptors(*now_->config);
  shared_.operators.use_workers(workers.count(), totals());
  shared_.reasons.clear(admin::ReasonKind::starting);
  services_.start();
  // The file is written before the service manager is told that this process serves, because others may then read it.
  if (const auto why = pid_file_.write())
    observe::event(observe::LogLevel::warning, "pid_file_failed",
                   "the process id cannot be written to \"pid_file\": " + *why);
  if (taken_over_) taken_over_->serves();
  tell_service_manager("READY=1");
}

void GatewayProgram::use_state(const std::string& upstream, const std::string& server, bool down) {
  if (workers_ == nullptr) return;
  server_care_.note_states();
  if (!down) return;
  workers_->tell([upstream, server](WorkerService& service) {
    static_cast<GatewayService&>(service).take_down(upstream, server);
  });
}

void GatewayProgram::hand_over_by(TakenOver taken, CommandLine command) {
  taken_over_.emplace(std::move(taken));
  handover_.emplace(
      loop_, std::move(command),
      [this](pid_t next) {
        observe::event(observe::LogLevel::info, "upgraded", "a new process has taken over", {{"pid", next}});
        handed_over_to_ = next;
        // The watch stops only in an upgrade. In any other drain, it continues, so that a person who changes the file
        // learns from the log that this process does not use the change.
        if (watch_) watch_->stop();
        tell_service_manager("MAINPID=" + std::to_string(next));
        // The new process uses the address of the admin interface as well.
        if (auto off = admin_->prepare(std::nullopt); off.has_value()) admin_->use(std::move(*off));
        std::exchange(handed_over_, {})();
      },
      [this] { return [parts = parts()] { return write_state(parts); }; });
  services_.add(*handover_);
}

void GatewayProgram::upgrade(const std::function<void()>& handed_over) {
  if (!handover_ || !workers_ || draining_) return;
  // The new process must get the sockets that the reload is about to open.
  if (reloading_) return after_reload_.push_back([this, handed_over] { upgrade(handed_over); });
  handed_over_ = handed_over;
  handover_->begin(workers_->listeners().descriptors(), admin_->descriptors());
}

void GatewayProgram::draining(Duration at_most) {
  draining_ = true;
  shared_.reasons.set(admin::ReasonKind::draining);
  shared_.operators.begin_drain();
  services_.drain();
  if (!handed_over_to_) tell_service_manager("STOPPING=1");
  if (at_drain_) boost::asio::post(loop_, [this, at_most] { at_drain_(at_most); });  // after the event of the drain
}

void GatewayProgram::ended() {
  workers_ = nullptr;
  calls_->close();
  shared_.operators.close();
  asked_.clear();
  told_.clear();
  after_reload_.clear();
  reloading_ = false;  // a read under way is not awaited, and a call that arrives later must get an answer
  services_.stop();
}

}  // namespace headgate::server
