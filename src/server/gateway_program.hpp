#pragma once
// The gateway as a program: what is in force, and what follows it: configurations that are read again, and keys that
// change.

#include "gateway_service.hpp"
#include "reload.hpp"

#include "headgate/observe/counters.hpp"
#include "headgate/server/serve_gateway.hpp"

#include <memory>

namespace headgate::server {

/// Main thread.
class GatewayProgram final : public Program {
 public:
  /// Puts `config` in force. Throws where a file of keys cannot be used.
  GatewayProgram(boost::asio::io_context& loop, const config::Config& config, const ReadAgain& read_again,
                 Shared& shared);

  /// Waits for keys that are fetched, so that the first requests find them; goes on without those that do not come.
  void await_keys();

  std::unique_ptr<Service> make_service(upstream::Environment environment) override;
  void started(Workers& workers) override;
  void reload() override;
  void reopen_logs() override { shared_.logs.reopen(); }
  void draining() override { shared_.board.begin_drain(); }
  void ended() override;

 private:
  void watch_keys();
  /// False after saying why `next` stays out.
  bool await_new_sources(PendingConfig& next);
  void activate(PendingConfig next);

  boost::asio::io_context& loop_;
  const ReadAgain& read_again_;
  Shared& shared_;
  observe::ReloadCounters counters_;
  std::shared_ptr<const ActiveConfig> now_;
  std::shared_ptr<const config::Config> begun_with_;
  std::shared_ptr<keyring::Keyring> keyring_;
  unsigned made_ = 0;           // services
  Workers* workers_ = nullptr;  // while they run
};

}  // namespace headgate::server
