#include "headgate/server/admin.hpp"

#include "admin_handler.hpp"
#include "openapi.hpp"
#include "server/listeners.hpp"
#include "server/worker.hpp"

#include "headgate/core/text.hpp"
#include "headgate/http/accept.hpp"
#include "headgate/net/descriptors.hpp"
#include "headgate/observe/event.hpp"

#include <algorithm>
#include <utility>

namespace headgate::server {
namespace {

constexpr auto kDrain = std::chrono::seconds(1);
constexpr std::uint32_t kMaxConnections = 256;
constexpr std::string_view kOpenMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8";
constexpr std::string_view kMetricsText = "text/plain; version=0.0.4; charset=utf-8";

/// Some descriptors are for those that linger, and for the newcomer that takes another's place.
std::uint32_t most_connections() noexcept {
  return std::min(kMaxConnections, static_cast<std::uint32_t>(net::descriptor_shares().admin()) * 3 / 4);
}

class AdminService final : public Service {
 public:
  AdminService(std::vector<AdminEndpoint> endpoints, boost::asio::io_context& loop)
      : handler_({}, std::move(endpoints), loop) {}
  gateway::Handler& handler() override { return handler_; }
  gateway::Bounds bounds() const override {
    gateway::Bounds out;
    out.connections = most_connections();
    out.if_full = gateway::IfFull::end_waiting;  // whoever holds them all must not keep probes out
    out.paths = http::Paths::as_sent;            // dots and slashes may be the key of a limit
    return out;
  }
  net::Listener::For listens_for() const override { return net::Listener::For::operators; }
  void use_tokens(const AdminHandler::Tokens& tokens) { handler_.use_tokens(tokens); }
  void stop() override {}

 private:
  AdminHandler handler_;
};

AdminAnswer ready_or_not(const Readiness& now) {
  if (!now.unready.empty()) return {.status = 503, .body = "Not ready: " + joined(now.unready, "; ") + '.'};
  if (now.degraded.empty()) return {.body = "ready\n"};
  return {.body = "ready, but degraded: " + joined(now.degraded, "; ") + '\n'};
}

/// Prometheus' own format, unless the caller names OpenMetrics and takes it at least as gladly.
AdminAnswer metrics_for(std::string_view accept, const observe::Registry& registry) {
  const auto open = kOpenMetrics.substr(0, kOpenMetrics.find(';'));
  const bool named = lower(accept.substr(0, http::kMaxAccept)).find(open) != std::string::npos;
  const auto quality = http::quality_of(accept, open);
  if (named && quality > 0 && quality >= http::quality_of(accept, "text/plain"))
    return {.body = registry.open_metrics(), .type = kOpenMetrics};
  return {.body = registry.text(), .type = kMetricsText};
}

/// The endpoints of every gateway. Probes of a container have no token and learn only yes or no.
std::vector<AdminEndpoint> usual_endpoints(observe::Registry& registry, const std::function<Readiness()>& ready) {
  using enum AdminEndpoint::For;
  std::vector<AdminEndpoint> out;
  out.push_back({.method = "GET",
                 .path = "/metrics",
                 .who = those_allowed,
                 .answer = [&registry](const AdminCall& call) { return metrics_for(call.accept, registry); },
                 .about = {.summary = "Metrics for Prometheus"}});
  out.push_back({.method = "GET",
                 .path = "/healthz",
                 .who = all,
                 .answer = [](const AdminCall&) { return AdminAnswer{.body = "ok\n"}; },
                 .about = {.summary = "Whether the process is alive"}});
  out.push_back({.method = "GET",
                 .path = "/readyz",
                 .who = all,
                 .answer = [&ready](const AdminCall&) { return ready_or_not(ready()); },
                 .about = {.summary = "Whether this gateway should get new requests"}});
  return out;
}

}  // namespace

struct Admin::Next::State {
  std::optional<config::Admin> options;
  Listeners::Next listeners;
  std::string off_because;  ///< why it does not listen, although it should; else empty
};

Admin::Next::Next(std::unique_ptr<State> state) : state_(std::move(state)) {}
Admin::Next::Next(Next&&) noexcept = default;
Admin::Next& Admin::Next::operator=(Next&&) noexcept = default;
Admin::Next::~Next() = default;

struct Admin::State {
  State(std::optional<config::Admin> chosen, observe::Registry& registry, std::function<Readiness()> asked,
        std::vector<AdminEndpoint> more)
      : options(std::move(chosen)), ready(std::move(asked)), endpoints(usual_endpoints(registry, ready)) {
    for (auto& each : more) endpoints.push_back(std::move(each));
    endpoints.push_back(openapi_endpoint(document));
    document = openapi(endpoints);
  }

  std::optional<config::Admin> options;
  std::function<Readiness()> ready;
  std::string document;  ///< what the endpoints are, in OpenAPI
  std::vector<AdminEndpoint> endpoints;
  // Counted separately from the client connections, whose limit may be reached.
  session::Totals totals;
  std::unique_ptr<Worker> worker;  ///< made when it is needed first
  std::optional<Listeners> listeners;
  bool runs = false;

  void make_worker();
};

void Admin::State::make_worker() {
  if (worker) return;
  const MakeService make = [this](const upstream::Environment& environment) {
    return std::make_unique<AdminService>(endpoints, environment.loop);
  };
  worker = std::make_unique<Worker>(make, totals);
  listeners.emplace(std::vector<Worker*>{worker.get()});
}

Admin::Admin(std::optional<config::Admin> options, observe::Registry& registry, std::function<Readiness()> ready,
             std::vector<AdminEndpoint> more)
    : state_(std::make_unique<State>(std::move(options), registry, std::move(ready), std::move(more))) {}

Admin::~Admin() { stop(); }

Result<void, std::string> Admin::start(PassedSockets* passed) {
  auto next = prepare(state_->options, passed);
  if (next.has_error()) return next.error();
  if (const auto listening = listen(*next); listening.has_error()) return listening.error();
  use(std::move(*next));
  return {};
}

Result<Admin::Next, std::string> Admin::prepare(const std::optional<config::Admin>& options, PassedSockets* passed) {
  using enum config::Admin::IfTaken;
  auto next = std::make_unique<Next::State>();
  next->options = options;
  if (!options) return Next(std::move(next));
  state_->make_worker();
  PassedSockets none;
  auto& given = passed ? *passed : none;
  auto address = options->listen;
  auto found = state_->listeners->prepare({address}, given);
  if (found.has_error() && options->if_taken == another_port) {
    address.port = 0;
    found = state_->listeners->prepare({address}, given);
  }
  if (found.has_value())
    next->listeners = std::move(*found);
  else if (options->if_taken == fail)
    return "the admin interface " + found.error().why;
  else
    next->off_because = "the admin interface " + found.error().why;
  return Next(std::move(next));
}

Result<void, std::string> Admin::listen(Next& next) {
  if (!state_->listeners) return {};
  if (const auto listening = state_->listeners->listen(next.state_->listeners); listening.has_error())
    return "the admin interface " + listening.error().why;
  return {};
}

void Admin::use(Next next) {
  auto& to = *next.state_;
  state_->options = std::move(to.options);
  if (!to.off_because.empty())
    observe::event(observe::LogLevel::warning, "admin_off",
                   "running without the admin interface, because \"admin\" is not in the configuration",
                   {{"reason", to.off_because}});
  if (!state_->worker) return;
  AdminHandler::Tokens tokens;
  if (state_->options) tokens = {state_->options->tokens, state_->options->read_tokens};
  const auto use_tokens = [&] {
    state_->worker->tell([tokens](Service& service) { static_cast<AdminService&>(service).use_tokens(tokens); });
  };
  // In no step may a connection do more than before and after all of them: tokens come before the listener that needs
  // them, and go after the one that needed them.
  const bool guarded = !tokens.all.empty() || !tokens.read.empty();
  if (guarded) use_tokens();
  const auto change = state_->listeners->use(std::move(to.listeners), kDrain);
  if (!guarded) use_tokens();
  for (const auto& where : change.added)
    observe::event(observe::LogLevel::info, "admin_listening", "the admin interface is at http://" + where,
                   {{"address", where}});
  if (!std::exchange(state_->runs, true)) state_->worker->start([] {});
}

void Admin::stop() {
  if (!state_->worker) return;
  if (state_->runs) {
    state_->worker->drain(Duration(0), kDrain);
    state_->worker->join();
  }
  state_->runs = false;
  state_->listeners.reset();
  state_->worker.reset();
}

Admin::Places Admin::places() const noexcept {
  return {.taken = state_->totals.connections.load(std::memory_order_relaxed),
          .most = std::max(most_connections(), 1U)};
}

std::uint16_t Admin::port() const noexcept { return state_->listeners ? state_->listeners->port(0) : 0; }

std::vector<int> Admin::descriptors() const {
  return state_->listeners ? state_->listeners->descriptors() : std::vector<int>();
}

}  // namespace headgate::server
