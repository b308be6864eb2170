// Changes that operators make at run time: the sizes of servers, and API keys.

#include "gateway_program.hpp"
#include "server/workers.hpp"

#include "headgate/keyring/keyring.hpp"
#include "headgate/observe/event.hpp"

#include <utility>

namespace headgate::server {

void GatewayProgram::use_size(const std::string& upstream, const std::string& server, const admin::WantedSize& size) {
  if (workers_ == nullptr) return;
  // A reload under way uses the sizes from its beginning, so the change waits for the end of the reload.
  if (taking_) return after_reload_.push_back([this, upstream, server, size] { use_size(upstream, server, size); });
  sizes_.set(now_->config->upstreams, upstream, server, size);
  use_sizes();
  workers_->tell([next = now_](WorkerService& service) { static_cast<GatewayService&>(service).adopt(next); });
}

void GatewayProgram::use_sizes() {
  auto upstreams = now_->config->upstreams;
  sizes_.apply(upstreams);
  now_ = with_servers(side_, *now_, std::move(upstreams));
  shared_.operators.use_same(now_);
  services_.adopt(now_);  // so that services write into the watches of the active configuration
}

void GatewayProgram::keep_sizes(const admin::ServerSizes::Upstreams& written) {
  for (const auto& [upstream, server] : sizes_.keep(written))
    observe::event(observe::LogLevel::info, "server_size_ended",
                   "the configuration of this server changed, so its values that were set at run time no longer apply",
                   {{"upstream", upstream}, {"server", server}});
}

/// Uses these keys, which take precedence over the file. The keyring publishes the keys before the message to the
/// workers, so `done` is called when all workers use them.
void GatewayProgram::use_keys(services::KeyService::Records unwritten, const std::function<void()>& done) {
  keyring_->hold(std::move(unwritten));
  if (workers_ == nullptr) return done();
  workers_->tell([](WorkerService&) {}, done);
}

void GatewayProgram::tell_unwritten_keys(const std::string& why) {
  std::vector<std::pair<std::string, std::string>> wrong;
  if (!why.empty()) wrong.emplace_back(shared_.keys->file(), why);
  shared_.reasons.set_only(admin::ReasonKind::keys_unwritten, wrong);
}

}  // namespace headgate::server
