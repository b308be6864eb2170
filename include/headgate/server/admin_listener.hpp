#pragma once
// The admin interface. It has its own listener and its own thread, so that it answers even if all workers are busy or
// stuck.

#include "headgate/admin/usual_endpoints.hpp"
#include "headgate/config/config.hpp"
#include "headgate/core/result.hpp"
#include "headgate/observe/metrics.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headgate::server {

class PassedSockets;

/// Serves all endpoints (admin::AllEndpoints). Call all functions on one thread. The registry must outlive this object.
class AdminListener {
 public:
  /// `ready` and the answers of `more` are called on the admin thread. If `options` is empty, the interface does not
  /// listen.
  AdminListener(std::optional<config::Admin> options, observe::Registry& registry,
                std::function<admin::ReadyReport()> ready, std::vector<admin::AdminEndpoint> more = {});
  ~AdminListener();  ///< calls stop()
  AdminListener(const AdminListener&) = delete;
  AdminListener& operator=(const AdminListener&) = delete;

  /// Listens and serves. Uses a passed socket if the socket's address matches. If the port is taken, the options decide
  /// between an error text, an event in the log, and another port.
  Result<void, std::string> start(PassedSockets* passed = nullptr);
  /// Stops; requests in flight have at most one second to end.
  void stop();

  /// New options, with a socket if the address changes.
  class Next {
   public:
    Next(Next&&) noexcept;
    Next& operator=(Next&&) noexcept;
    ~Next();

   private:
    friend class AdminListener;
    struct State;
    explicit Next(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };
  /// Binds the address if the address changes. Clients cannot connect to the new address yet. Errors are those of
  /// start().
  Result<Next, std::string> prepare(const std::optional<config::Admin>& options, PassedSockets* passed = nullptr);
  /// Lets clients connect to the new address; they wait until use().
  Result<void, std::string> listen(Next& next);
  /// Serves with the new options. Requests in flight at a closed address have at most one second to end.
  void use(Next next);

  /// The number of connections, and the bound. Any thread.
  struct Places {
    std::uint32_t taken = 0;
    std::uint32_t most = 0;
  };
  Places places() const noexcept;
  std::uint16_t port() const noexcept;   ///< 0 while the interface does not listen
  std::vector<int> descriptors() const;  ///< the listening sockets, which this object keeps

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headgate::server
