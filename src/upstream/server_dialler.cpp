#include "server_dialler.hpp"

#include <algorithm>
#include <utility>

namespace headgate::upstream {

ServerDialler::ServerDialler(Environment environment, const ServerGroupOptions& options, std::size_t at,
                             const TlsUse& tls, balance::ServerPtr row)
    : environment_(environment),
      upstream_(options.name),
      name_(options.servers[at].text),
      row_(std::move(row)),
      tls_(tls),
      connector_(environment.loop, environment.timers, options.servers[at].host, options.servers[at].port),
      session_(tls.context ? std::make_shared<net::TlsSession>() : nullptr),
      handshakes_(tls_, environment.clock, upstream_, name_) {
  ServerDialler::use(options);
}

void ServerDialler::use(const ServerGroupOptions& options) noexcept {
  connect_timeout_ = options.connect_timeout;
  idle_timeout_ = options.idle_timeout;
  lifetime_ = options.connection_lifetime;
  max_idle_ = options.max_idle;
  head_bytes_ = options.head_bytes;
}

Task<Result<net::Connected, Failure>> ServerDialler::call(Duration within) {
  const net::ConnectOptions terms{.whole = within, .tls = tls_.context, .session = session_, .in_turn = true};
  auto connected = co_await connector_.connect(terms);
  if (taken_down()) co_return down();
  if (connected.has_error()) co_return handshakes_.failed(connected.error());
  handshakes_.connected(connected->resumed);
  co_return std::move(*connected);
}

bool ServerDialler::leads_to(const net::Tcp::endpoint& address) const noexcept {
  return addresses_.empty() || std::find(addresses_.begin(), addresses_.end(), address) != addresses_.end();
}

bool ServerDialler::follow(const std::vector<net::Tcp::endpoint>& addresses) {
  if (addresses.empty()) return false;
  addresses_ = addresses;
  connector_.use(addresses);
  return true;
}

Clock::Steady ServerDialler::end_of_life() {
  if (lifetime_ == Duration(0)) return {};
  const auto tenth = static_cast<std::uint64_t>(lifetime_.count() / 10);
  return environment_.clock.steady() + lifetime_ -
         Duration(static_cast<Duration::rep>(environment_.random() % (tenth + 1)));
}

}  // namespace headgate::upstream
