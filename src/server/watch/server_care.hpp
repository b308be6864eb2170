#pragma once
// Looks after servers in the background: checks their health, and looks their names up again.

#include "server/config/reload.hpp"

#include "headgate/net/look_up.hpp"
#include "headgate/net/loop_clock.hpp"
#include "headgate/observe/metrics.hpp"
#include "headgate/upstream/health_checks.hpp"
#include "headgate/upstream/names.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headgate::server {

class Workers;

/// Main thread only, which runs the loop.
class ServerCare {
 public:
  /// `board` learns the last check of each server; both outlive it.
  ServerCare(boost::asio::io_context& loop, observe::Registry& registry, AdminBoard& board);
  ServerCare(const ServerCare&) = delete;
  ServerCare& operator=(const ServerCare&) = delete;

  /// Looks after the servers of this configuration from now on. What is known of servers that stay is kept. `workers`
  /// use the configuration already, or will before they do anything that comes after this call; they run until stop().
  void use(std::shared_ptr<const ActiveConfig> active, Workers& workers);
  /// An operator took a server down, or let it in again: checks those that are not down.
  void note_states();
  /// The names of servers whose last look-up failed, and why.
  std::vector<std::pair<std::string, std::string>> failing_names() const { return names_.failing(); }
  /// Ends checks and look-ups, now and later.
  void stop();

 private:
  void tell(const upstream::HealthReport& report);
  void mark(const std::string& upstream, const std::string& server, bool up);
  void passed_check(const std::string& upstream, const std::string& server);
  void tell(const upstream::NamedAddresses& name);

  observe::Registry& registry_;
  AdminBoard& board_;
  net::LoopClock clock_;
  net::LookUps look_ups_;
  upstream::Names names_;
  upstream::HealthChecks checks_;
  std::shared_ptr<const ActiveConfig> active_;
  Workers* workers_ = nullptr;
};

}  // namespace headgate::server
