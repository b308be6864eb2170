#pragma once
// The parts of a dialler that are the same in all protocols: its server, and how to connect to it.

#include "handshakes.hpp"

#include "headgate/balance/table.hpp"
#include "headgate/net/connect.hpp"
#include "headgate/net/tls/tls_session.hpp"
#include "headgate/upstream/dialler.hpp"
#include "headgate/upstream/environment.hpp"

#include <memory>
#include <string>
#include <vector>

namespace headgate::upstream {

/// A guard that counts a coroutine as an attempt in flight while it waits for a connection. Without the guard, a server
/// whose connections take long would look idle.
class WaitsForConnection {
 public:
  explicit WaitsForConnection(balance::Server& server) noexcept : server_(server) {
    balance::add_in_flight(server_, 1);
  }
  WaitsForConnection(const WaitsForConnection&) = delete;
  WaitsForConnection& operator=(const WaitsForConnection&) = delete;
  ~WaitsForConnection() { balance::add_in_flight(server_, -1); }

 private:
  balance::Server& server_;
};

/// The base class of the diallers. Worker thread only.
class ServerDialler : public Dialler {
 public:
  /// Creates the dialler of the server with the index `at` in the options.
  ServerDialler(Environment environment, const ServerGroupOptions& options, std::size_t at, const TlsUse& tls,
                balance::ServerPtr row);
  ServerDialler(const ServerDialler&) = delete;
  ServerDialler& operator=(const ServerDialler&) = delete;

  const std::string& name() const noexcept { return name_; }
  balance::Server& row() noexcept { return *row_; }
  ServerHandshakes& handshakes() noexcept { return handshakes_; }
  ~ServerDialler() override = default;
  void use(const ServerGroupOptions& options) noexcept override;

 protected:
  /// Makes a connection within this time. The error has a reason in words for the log.
  Task<Result<net::Connected, Failure>> call(Duration within);
  bool taken_down() const noexcept { return (row_->out.load(std::memory_order_relaxed) & balance::kDown) != 0; }
  Failure down() const noexcept { return {.what = Failed::no_connection, .why = kTakenDown, .server = name_}; }
  bool leads_to(const net::Tcp::endpoint& address) const noexcept;
  /// Sets the addresses that the server's name resolves to; returns false if `addresses` is empty.
  bool follow(const std::vector<net::Tcp::endpoint>& addresses);
  /// Returns the time at which a connection that is made now must end; zero if it need not end. The time is up to a
  /// tenth earlier than configured, so that connections that began together do not all end together.
  Clock::Steady end_of_life();

  Environment environment_;
  std::string upstream_;
  std::string name_;
  balance::ServerPtr row_;
  TlsUse tls_;
  Duration connect_timeout_{};
  Duration idle_timeout_{};
  std::uint32_t max_idle_ = 0;
  std::uint32_t head_bytes_ = 0;
  net::Connector connector_;

 private:
  Duration lifetime_{};
  std::shared_ptr<net::TlsSession> session_;  ///< null without TLS
  ServerHandshakes handshakes_;
  std::vector<net::Tcp::endpoint> addresses_;  ///< addresses of the name; empty if not known
};

}  // namespace headgate::upstream
