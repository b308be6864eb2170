// How keys that gateways issue and revoke come to the workers.

#include "gateway_program.hpp"
#include "server/workers.hpp"

#include "headgate/keyring/keyring.hpp"

#include <utility>

namespace headgate::server {

/// The keyring publishes them: what workers are told after that, they do with these keys.
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
