#include "headgate/server/admin.hpp"

#include "admin_handler.hpp"
#include "worker.hpp"

#include "headgate/observe/event.hpp"

namespace headgate::server {
namespace {

constexpr auto kDrain = std::chrono::seconds(1);
constexpr std::uint32_t kMostConnections = 256;

class AdminService final : public Service {
 public:
  AdminService(const std::string& token, observe::Registry& registry, const std::function<Readiness()>& ready)
      : handler_(token, registry, ready) {}
  gateway::Handler& handler() override { return handler_; }
  void stop() override {}

 private:
  AdminHandler handler_;
};

Options worker_options() {
  Options out;
  out.bounds.connections = kMostConnections;
  return out;
}

}  // namespace

struct Admin::State {
  State(config::Admin chosen, observe::Registry& counted, std::function<Readiness()> asked)
      : options(std::move(chosen)), registry(counted), ready(std::move(asked)) {}

  config::Admin options;
  observe::Registry& registry;
  std::function<Readiness()> ready;
  Options serving = worker_options();
  // Counted apart from the front door's, which may be full.
  std::atomic<std::uint32_t> connections{0};
  std::uint16_t port = 0;
  std::unique_ptr<Worker> worker;

  Result<void, std::string> listen();
};

Admin::Admin(config::Admin options, observe::Registry& registry, std::function<Readiness()> ready)
    : state_(std::make_unique<State>(std::move(options), registry, std::move(ready))) {}

Admin::~Admin() { stop(); }

Result<void, std::string> Admin::State::listen() {
  if (options.listen.port != 0) {
    boost::asio::io_context loop{1};
    if (const auto free = net::check_free(loop, options.listen); free.has_error()) return free.error();
  }
  const MakeService make = [this](const upstream::Environment&) {
    return std::make_unique<AdminService>(options.token, registry, ready);
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
                   "going on without the admin interface, for \"admin\" is not in the configuration",
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
