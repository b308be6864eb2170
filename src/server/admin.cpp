#include "headgate/server/admin.hpp"

#include "admin_handler.hpp"
#include "worker.hpp"

#include "headgate/core/text.hpp"
#include "headgate/observe/event.hpp"

#include <utility>

namespace headgate::server {
namespace {

constexpr auto kDrain = std::chrono::seconds(1);
constexpr std::uint32_t kMaxConnections = 256;
constexpr std::string_view kMetricsText = "text/plain; version=0.0.4; charset=utf-8";

class AdminService final : public Service {
 public:
  AdminService(const std::string& token, std::vector<AdminEndpoint> endpoints)
      : handler_(token, std::move(endpoints)) {}
  gateway::Handler& handler() override { return handler_; }
  void stop() override {}

 private:
  AdminHandler handler_;
};

AdminAnswer ready_or_not(const Readiness& now) {
  if (!now.unready.empty()) return {.status = 503, .body = "Not ready: " + joined(now.unready, "; ") + '.'};
  if (now.degraded.empty()) return {.body = "ready\n"};
  return {.body = "ready, but degraded: " + joined(now.degraded, "; ") + '\n'};
}

/// The endpoints of every gateway. Probes of a container have no token and learn only yes or no.
std::vector<AdminEndpoint> usual_endpoints(observe::Registry& registry, const std::function<Readiness()>& ready) {
  using enum AdminEndpoint::For;
  std::vector<AdminEndpoint> out;
  out.push_back({.method = "GET", .path = "/metrics", .who = those_allowed, .answer = [&registry](const AdminCall&) {
                   return AdminAnswer{.body = registry.text(), .type = kMetricsText};
                 }});
  out.push_back({.method = "GET", .path = "/healthz", .who = all, .answer = [](const AdminCall&) {
                   return AdminAnswer{.body = "ok\n"};
                 }});
  out.push_back({.method = "GET", .path = "/readyz", .who = all, .answer = [&ready](const AdminCall&) {
                   return ready_or_not(ready());
                 }});
  return out;
}

Options worker_options() {
  Options out;
  out.bounds.connections = kMaxConnections;
  return out;
}

}  // namespace

struct Admin::State {
  State(config::Admin chosen, observe::Registry& registry, std::function<Readiness()> asked,
        std::vector<AdminEndpoint> more)
      : options(std::move(chosen)), ready(std::move(asked)), endpoints(usual_endpoints(registry, ready)) {
    for (auto& each : more) endpoints.push_back(std::move(each));
  }

  config::Admin options;
  std::function<Readiness()> ready;
  std::vector<AdminEndpoint> endpoints;
  Options serving = worker_options();
  // Counted separately from the client connections, whose limit may be reached.
  std::atomic<std::uint32_t> connections{0};
  std::uint16_t port = 0;
  std::unique_ptr<Worker> worker;

  Result<void, std::string> listen();
};

Admin::Admin(config::Admin options, observe::Registry& registry, std::function<Readiness()> ready,
             std::vector<AdminEndpoint> more)
    : state_(std::make_unique<State>(std::move(options), registry, std::move(ready), std::move(more))) {}

Admin::~Admin() { stop(); }

Result<void, std::string> Admin::State::listen() {
  if (options.listen.port != 0) {
    boost::asio::io_context loop{1};
    if (const auto free = net::check_free(loop, options.listen); free.has_error()) return free.error();
  }
  const MakeService make = [this](const upstream::Environment&) {
    return std::make_unique<AdminService>(options.token, endpoints);
  };
  worker = std::make_unique<Worker>(serving, make, connections);
  const auto listener = worker->listen(options.listen);
  if (listener.has_error()) {
    worker.reset();
    return listener.error();
  }
  port = (*listener)->port();
  const std::string where = (*listener)->address();
  observe::event(observe::LogLevel::info, "admin_listening", "the admin interface is at http://" + where,
                 {{"address", where}});
  return {};
}

Result<void, std::string> Admin::start() {
  using enum config::Admin::IfTaken;
  auto listening = state_->listen();
  if (listening.has_error() && state_->options.if_taken == another_port) {
    state_->options.listen.port = 0;
    listening = state_->listen();
  }
  if (listening.has_error()) {
    const auto why = "the admin interface " + listening.error();
    if (state_->options.if_taken == fail) return why;
    observe::event(observe::LogLevel::warning, "admin_off",
                   "running without the admin interface, because \"admin\" is not in the configuration",
                   {{"reason", why}});
    return {};
  }
  state_->worker->start([] {});
  return {};
}

void Admin::stop() {
  if (!state_->worker) return;
  state_->worker->drain(Duration(0), kDrain);
  state_->worker->join();
  state_->worker.reset();
  state_->port = 0;
}

std::uint16_t Admin::port() const noexcept { return state_->port; }

}  // namespace headgate::server
