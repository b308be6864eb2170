#include "headgate/net/listener.hpp"

#include "headgate/observe/event.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/v6_only.hpp>

#include <sys/socket.h>

namespace headgate::net {
namespace {

namespace error = boost::asio::error;
using Acceptor = boost::asio::basic_socket_acceptor<Tcp, Executor>;
using ReusePort = boost::asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

// The wait after an error. Without descriptors or memory, some may be free again soon.
constexpr auto kPause = std::chrono::milliseconds(100);
constexpr int kBacklog = 4096;

std::string shown(const ListenOptions& options) {
  return options.text.empty() ? options.host + ":" + std::to_string(options.port) : options.text;
}

std::string explain(const error_code& ec, const ListenOptions& options) {
  const auto what = "cannot listen on " + shown(options) + ": ";
  if (ec == error::address_in_use)
    return what + "port " + std::to_string(options.port) +
           " is taken; stop the process that listens there (ss -ltnp), or choose another port";
  if (ec == error::access_denied)
    return what + "permission denied; run as root, or give the binary CAP_NET_BIND_SERVICE, or listen above 1023";
  if (ec.value() == EADDRNOTAVAIL) return what + "no interface of this machine has that address";
  return what + ec.message();
}

/// A socket that only looks whether its port is free shares it with nobody, and does not listen: a client that came
/// meanwhile would be accepted and reset.
enum class Purpose : bool { look, listen };

Result<Acceptor> bind(boost::asio::io_context& loop, const Tcp::endpoint& endpoint, Purpose purpose,
                      bool both_families) {
  Acceptor acceptor(loop);
  error_code ec;
  acceptor.open(endpoint.protocol(), ec);
  if (!ec) acceptor.set_option(Acceptor::reuse_address(true), ec);
  if (!ec && purpose == Purpose::listen) acceptor.set_option(ReusePort(true), ec);
  if (!ec && both_families) acceptor.set_option(boost::asio::ip::v6_only(false), ec);
  if (!ec) acceptor.bind(endpoint, ec);
  if (!ec && purpose == Purpose::listen) acceptor.listen(kBacklog, ec);
  if (!ec) acceptor.non_blocking(true, ec);
  if (ec) return ec;
  return acceptor;
}

Result<Acceptor> bind(boost::asio::io_context& loop, const ListenOptions& options, Purpose purpose) {
  if (!options.host.empty()) {
    error_code ec;
    const auto address = boost::asio::ip::make_address(options.host, ec);
    if (ec) return ec;
    return bind(loop, Tcp::endpoint(address, options.port), purpose, false);
  }
  auto both = bind(loop, Tcp::endpoint(Tcp::v6(), options.port), purpose, true);
  // Without IPv6 on this machine, listen on IPv4 only.
  if (both.has_error() && both.error() != error::address_in_use && both.error() != error::access_denied) {
    return bind(loop, Tcp::endpoint(Tcp::v4(), options.port), purpose, false);
  }
  return both;
}

}  // namespace

Listener::Listener(Acceptor acceptor, Timers& timers, const ListenOptions& options)
    : acceptor_(std::move(acceptor)),
      timers_(timers),
      proxy_protocol_(options.proxy_protocol),
      https_port_(options.https_port),
      secure_(options.tls.has_value()) {}
Listener::~Listener() = default;

Result<std::unique_ptr<Listener>, std::string> Listener::open(boost::asio::io_context& loop, Timers& timers,
                                                              const ListenOptions& options) {
  auto acceptor = bind(loop, options, Purpose::listen);
  if (acceptor.has_error()) return explain(acceptor.error(), options);
  return std::unique_ptr<Listener>(new Listener(std::move(*acceptor), timers, options));
}

void Listener::start(Take take) {
  take_ = std::move(take);
  accept();
}

void Listener::accept() {
  acceptor_.async_accept([this](const error_code& ec, Socket socket) {
    if (!ec) {
      take_(StreamPtr(new Stream(std::move(socket), timers_)));
    } else if (ec != error::connection_aborted && acceptor_.is_open()) {
      observe::event(observe::LogLevel::warning, "accept_failed", "trying again in 100 ms", {{"reason", ec.message()}});
      return timers_.arm(pause_, kPause);
    }
    if (acceptor_.is_open()) accept();
  });
}

void Listener::pause_over(void* self) { static_cast<Listener*>(self)->accept(); }

void Listener::close() {
  pause_.disarm();
  error_code ec;
  acceptor_.cancel(ec);
  // At most one backlog: clients that keep connecting must not keep the listener open.
  for (int taken = 0; take_ && taken < kBacklog; ++taken) {
    Socket socket(acceptor_.get_executor());
    acceptor_.accept(socket, ec);
    if (ec) break;
    take_(StreamPtr(new Stream(std::move(socket), timers_)));
  }
  acceptor_.close(ec);
}

std::uint16_t Listener::port() const noexcept {
  error_code ignored;
  return acceptor_.local_endpoint(ignored).port();
}

std::string Listener::address() const {
  error_code ignored;
  const auto endpoint = acceptor_.local_endpoint(ignored);
  const auto text = endpoint.address().to_string();
  return (endpoint.address().is_v6() ? "[" + text + "]" : text) + ":" + std::to_string(endpoint.port());
}

Result<void, std::string> check_free(boost::asio::io_context& loop, const ListenOptions& options) {
  const auto alone = bind(loop, options, Purpose::look);
  if (alone.has_error()) return explain(alone.error(), options);
  return {};
}

}  // namespace headgate::net
