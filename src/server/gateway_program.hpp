#pragma once
// The gateway as a program of the server: the active configuration, and its changes by a reload or by new keys.

#include "certificates.hpp"
#include "gateway_service.hpp"
#include "reload.hpp"

#include "headgate/observe/counters.hpp"
#include "headgate/server/serve_gateway.hpp"

#include <memory>

namespace headgate::server {

/// Main thread only.
class GatewayProgram final : public Program {
 public:
  /// Makes `config` active. Throws std::runtime_error if a key file cannot be used.
  GatewayProgram(boost::asio::io_context& loop, const config::Config& config, const ReadAgain& read_again,
                 Shared& shared);

  /// Waits for keys that are fetched, so that the first requests find them. Continues without keys that do not come in
  /// time.
  void await_keys();

  std::unique_ptr<Service> make_service(upstream::Environment environment) override;
  Result<void, std::string> listening(Workers& workers) override;
  void started(Workers& workers) override;
  void reload() override;
  void reopen_logs() override { shared_.logs.reopen(); }
  void draining() override { shared_.board.begin_drain(); }
  void ended() override;

 private:
  void watch_keys();
  /// False, after logging why, if `next` cannot become active.
  bool await_new_sources(PendingConfig& next);
  void activate(PendingConfig next);

  boost::asio::io_context& loop_;
  const ReadAgain& read_again_;
  Shared& shared_;
  observe::ReloadCounters counters_;
  Certificates certificates_;
  std::shared_ptr<const ActiveConfig> now_;
  std::shared_ptr<const config::Config> begun_with_;
  std::shared_ptr<keyring::Keyring> keyring_;
  unsigned made_ = 0;           // services
  Workers* workers_ = nullptr;  // while they run
};

}  // namespace headgate::server
