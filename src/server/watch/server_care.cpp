#include "server_care.hpp"

#include "server/gateway_service.hpp"

#include "headgate/net/look_up.hpp"
#include "headgate/observe/event.hpp"
#include "headgate/observe/families/upstreams.hpp"

#include <chrono>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace headgate::server {
namespace {

using balance::Health;
using observe::LogLevel;

std::vector<upstream::HealthTarget> targets_of(const services::ActiveConfig& active) {
  std::vector<upstream::HealthTarget> out;
  const auto& upstreams = active.config->upstreams;
  for (std::size_t i = 0; i < upstreams.size(); ++i) {
    if (!upstreams[i].health) continue;
    for (const auto& server : upstreams[i].servers)
      out.push_back({.upstream = upstreams[i].name,
                     .server = server,
                     .options = *upstreams[i].health,
                     .tls = active.upstream_tls[i]});
  }
  return out;
}

std::vector<upstream::ServerName> names_of(const services::ActiveConfig& active) {
  std::vector<upstream::ServerName> out;
  for (const auto& upstream : active.config->upstreams)
    for (const auto& server : upstream.servers) out.push_back({server.host, server.port, upstream.resolve_every});
  return out;
}

}  // namespace

ServerCare::Calls ServerCare::calls_on(boost::asio::io_context& loop) {
  return {.look_up = [look_ups = std::make_shared<net::LookUps>(loop)](
                         const std::string& host, std::uint16_t port,
                         net::LookedUp found) { look_ups->ask(host, port, std::move(found)); },
          .checks = [&loop](upstream::AddressesOf of) { return upstream::health_calls(loop, std::move(of)); }};
}

ServerCare::ServerCare(Clock& clock, observe::Registry& registry, admin::AdminBoard& board, Calls calls,
                       TellWorkers tell_workers)
    : registry_(registry),
      board_(board),
      tell_workers_(std::move(tell_workers)),
      clock_(clock),
      names_(clock_, std::move(calls.look_up), [this](const upstream::NamedAddresses& name) { tell(name); }),
      checks_(
          clock_, calls.checks([this](const std::string& host, std::uint16_t port) { return names_.of(host, port); }),
          [this](const upstream::HealthReport& report) { tell(report); }, std::random_device()()),
      bell_(clock.bell([](void* self) { static_cast<ServerCare*>(self)->look_after(); }, this)) {}

/// Uses `active` when the alarm rings: in a later turn of the loop than the message to the workers.
void ServerCare::adopt(const std::shared_ptr<const services::ActiveConfig>& active) {
  next_ = active;
  if (runs_) bell_->ring();
}

void ServerCare::start() {
  runs_ = true;
  look_after();
}

void ServerCare::look_after() {
  if (!runs_ || !next_) return;
  active_ = std::exchange(next_, nullptr);
  names_.use(names_of(*active_));
  // Upstreams that the reload has made anew do not have the addresses yet.
  for (const auto& name : names_.known()) tell(name);
  checks_.use(targets_of(*active_));
  note_states();
  for (const auto& options : active_->config->upstreams)
    for (const auto& server : options.servers) mark(options.name, server.text, checks_.up(options.name, server.text));
}

void ServerCare::note_states() {
  if (!active_) return;
  const auto& upstreams = active_->config->upstreams;
  for (std::size_t at = 0; at < upstreams.size(); ++at)
    for (std::size_t i = 0; i < upstreams[at].servers.size(); ++i)
      checks_.pause(upstreams[at].name, upstreams[at].servers[i].text, active_->watches[at]->marked(i, balance::kDown));
}

void ServerCare::stop() {
  if (!std::exchange(runs_, false)) return;
  checks_.stop();
  names_.stop();
}

void ServerCare::tell(const upstream::HealthReport& report) {
  const auto& upstream = report.target.upstream;
  const auto& server = report.target.server.text;
  const bool checked_no_more = report.change == Health::Change::up && report.checks == 0;
  if (!checked_no_more) {
    registry_
        .counter(observe::kMainThread, observe::family::upstream_health_checks,
                 {upstream, server, report.passed ? "passed" : "failed"})
        .add();
    board_.note_check(upstream, server, {.at = clock_.wall(), .passed = report.passed, .why = std::string(report.why)});
    if (report.passed) passed_check(upstream, server);
  }
  if (report.change == Health::Change::none) return;
  mark(upstream, server, report.up);
  if (report.change == Health::Change::down)
    return observe::event(
        LogLevel::warning, "server_unhealthy",
        "health checks failed, so the server gets no requests while another server is available",
        {{"upstream", upstream}, {"server", server}, {"checks", report.checks}, {"reason", report.why}});
  observe::event(LogLevel::info, "server_healthy",
                 checked_no_more ? "the server is no longer checked, so it gets requests again"
                                 : "health checks passed, so the server gets requests again",
                 {{"upstream", upstream}, {"server", server}});
}

void ServerCare::mark(const std::string& upstream, const std::string& server, bool up) {
  const auto& upstreams = active_->config->upstreams;
  for (std::size_t at = 0; at < upstreams.size(); ++at) {
    if (upstreams[at].name != upstream) continue;
    for (std::size_t i = 0; i < upstreams[at].servers.size(); ++i)
      if (upstreams[at].servers[i].text == server)
        active_->watches[at]->mark(i, balance::kUnhealthy, !up, clock_.steady());
  }
}

void ServerCare::passed_check(const std::string& upstream, const std::string& server) {
  const auto& upstreams = active_->config->upstreams;
  for (std::size_t at = 0; at < upstreams.size(); ++at) {
    if (upstreams[at].name != upstream) continue;
    for (std::size_t i = 0; i < upstreams[at].servers.size(); ++i)
      if (upstreams[at].servers[i].text == server) active_->watches[at]->passed_check(i, clock_.steady());
  }
}

void ServerCare::tell(const upstream::NamedAddresses& name) {
  if (runs_) tell_workers_([name](WorkerService& service) { static_cast<GatewayService&>(service).use(name); });
}

}  // namespace headgate::server
