#include "headgate/server/admin_listener.hpp"

#include "listeners.hpp"
#include "worker.hpp"

#include "headgate/admin/admin_handler.hpp"
#include "headgate/net/descriptors.hpp"
#include "headgate/observe/event.hpp"

#include <algorithm>
#include <utility>

namespace headgate::server {
namespace {

constexpr auto kDrain = std::chrono::seconds(1);
constexpr std::uint32_t kMaxConnections = 256;

/// Returns the bound on connections. It leaves some descriptors for connections that linger, and for a new connection
/// that takes the place of another.
std::uint32_t most_connections() noexcept {
  return std::min(kMaxConnections, static_cast<std::uint32_t>(net::descriptor_shares().admin()) * 3 / 4);
}

class AdminService final : public WorkerService {
 public:
  AdminService(std::vector<admin::AdminEndpoint> endpoints, boost::asio::io_context& loop)
      : handler_({}, std::move(endpoints), loop) {}
  gateway::Handler& handler() override { return handler_; }
  session::Bounds bounds() const override {
    session::Bounds out;
    out.connections = most_connections();
    out.if_full = session::IfFull::end_waiting;  // so that clients with all connections do not keep probes out
    out.paths = http::Paths::as_sent;            // dots and slashes may be part of the key of a limit
    return out;
  }
  net::Listener::For listens_for() const override { return net::Listener::For::operators; }
  void use_tokens(const admin::AdminHandler::Tokens& tokens) { handler_.use_tokens(tokens); }
  void stop() override {}

 private:
  admin::AdminHandler handler_;
};

}  // namespace

struct AdminListener::Next::State {
  std::optional<config::Admin> options;
  Listeners::Next listeners;
  std::string off_because;  ///< the reason why a configured admin interface does not listen; otherwise empty
};

AdminListener::Next::Next(std::unique_ptr<State> state) : state_(std::move(state)) {}
AdminListener::Next::Next(Next&&) noexcept = default;
AdminListener::Next& AdminListener::Next::operator=(Next&&) noexcept = default;
AdminListener::Next::~Next() = default;

struct AdminListener::State {
  State(std::optional<config::Admin> chosen, observe::Registry& registry, std::function<admin::ReadyReport()> ready,
        std::vector<admin::AdminEndpoint> more)
      : options(std::move(chosen)), endpoints(registry, std::move(ready), std::move(more)) {}

  std::optional<config::Admin> options;
  admin::AllEndpoints endpoints;
  // the connections are counted apart from those of clients, whose bound may be reached
  session::Totals totals;
  std::unique_ptr<Worker> worker;  ///< created on first use
  std::optional<Listeners> listeners;
  bool runs = false;

  void make_worker();
};

void AdminListener::State::make_worker() {
  if (worker) return;
  const MakeService make = [this](const upstream::Environment& environment) {
    return std::make_unique<AdminService>(endpoints.rows(), environment.loop);
  };
  worker = std::make_unique<Worker>(make, totals);
  listeners.emplace(std::vector<Worker*>{worker.get()});
}

AdminListener::AdminListener(std::optional<config::Admin> options, observe::Registry& registry,
                             std::function<admin::ReadyReport()> ready, std::vector<admin::AdminEndpoint> more)
    : state_(std::make_unique<State>(std::move(options), registry, std::move(ready), std::move(more))) {}

AdminListener::~AdminListener() { stop(); }

Result<void, std::string> AdminListener::start(PassedSockets* passed) {
  auto next = prepare(state_->options, passed);
  if (next.has_error()) return next.error();
  if (const auto listening = listen(*next); listening.has_error()) return listening.error();
  use(std::move(*next));
  return {};
}

Result<AdminListener::Next, std::string> AdminListener::prepare(const std::optional<config::Admin>& options,
                                                                PassedSockets* passed) {
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

Result<void, std::string> AdminListener::listen(Next& next) {
  if (!state_->listeners) return {};
  if (const auto listening = state_->listeners->listen(next.state_->listeners); listening.has_error())
    return "the admin interface " + listening.error().why;
  return {};
}

void AdminListener::use(Next next) {
  auto& to = *next.state_;
  state_->options = std::move(to.options);
  if (!to.off_because.empty())
    observe::event(observe::LogLevel::warning, "admin_off",
                   "the admin interface cannot be opened; the gateway runs without it, because \"admin\" is not in the "
                   "configuration",
                   {{"reason", to.off_because}});
  if (!state_->worker) return;
  admin::AdminHandler::Tokens tokens;
  if (state_->options) tokens = {state_->options->tokens, state_->options->read_tokens};
  const auto use_tokens = [&] {
    state_->worker->tell([tokens](WorkerService& service) { static_cast<AdminService&>(service).use_tokens(tokens); });
  };
  // At no moment may a connection have more rights than under the old and under the new options. So tokens are set
  // before the listener that needs them, and removed after it.
  const bool guarded = !tokens.all.empty() || !tokens.read.empty();
  if (guarded) use_tokens();
  const auto change = state_->listeners->use(std::move(to.listeners), kDrain);
  if (!guarded) use_tokens();
  for (const auto& where : change.added)
    observe::event(observe::LogLevel::info, "admin_listening", "the admin interface is at http://" + where,
                   {{"address", where}});
  if (!std::exchange(state_->runs, true)) state_->worker->start([] {});
}

void AdminListener::stop() {
  if (!state_->worker) return;
  if (state_->runs) {
    state_->worker->drain(Duration(0), kDrain);
    state_->worker->join();
  }
  state_->runs = false;
  state_->listeners.reset();
  state_->worker.reset();
}

AdminListener::Places AdminListener::places() const noexcept {
  return {.taken = state_->totals.connections.load(std::memory_order_relaxed),
          .most = std::max(most_connections(), 1U)};
}

std::uint16_t AdminListener::port() const noexcept { return state_->listeners ? state_->listeners->port(0) : 0; }

std::vector<int> AdminListener::descriptors() const {
  return state_->listeners ? state_->listeners->descriptors() : std::vector<int>();
}

}  // namespace headgate::server
