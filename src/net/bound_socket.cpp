#include "headgate/net/bound_socket.hpp"

#include "headgate/net/listener.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace headgate::net {
namespace {

namespace error = boost::asio::error;

std::string written(const ListenOptions& options) {
  return options.text.empty() ? options.host + ":" + std::to_string(options.port) : options.text;
}

std::string explain_bind(const error_code& ec, const ListenOptions& options) {
  const auto what = "cannot listen on " + written(options) + ": ";
  if (ec == error::address_in_use)
    return what + "port " + std::to_string(options.port) +
           " is taken; stop the process that listens there (ss -ltnp), or choose another port";
  if (ec == error::access_denied)
    return what + "permission denied; run as root, or give the binary CAP_NET_BIND_SERVICE, or listen above 1023";
  if (ec.value() == EADDRNOTAVAIL) return what + "no interface of this machine has that address";
  return what + ec.message();
}

error_code last_error() noexcept { return {errno, boost::system::system_category()}; }

bool switch_option(int descriptor, int level, int name, bool on) noexcept {
  const int value = on ? 1 : 0;
  return ::setsockopt(descriptor, level, name, &value, sizeof value) == 0;
}

bool has_option(int descriptor, int level, int name) noexcept {
  int value = 0;
  socklen_t size = sizeof value;
  return ::getsockopt(descriptor, level, name, &value, &size) == 0 && value != 0;
}

/// The purpose of a socket. A socket that only checks whether its port is free neither shares the port nor listens:
/// otherwise a client could connect to it, and would be reset.
enum class Purpose : bool { look, listen };
enum class Families : bool { one, both };

Result<int> bind_to(const Tcp::endpoint& endpoint, Purpose purpose, Families families) {
  const int made = ::socket(endpoint.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
                            endpoint.protocol().protocol());
  if (made < 0) return last_error();
  const bool bound = switch_option(made, SOL_SOCKET, SO_REUSEADDR, true) &&
                     (purpose == Purpose::look || switch_option(made, SOL_SOCKET, SO_REUSEPORT, true)) &&
                     (families == Families::one || switch_option(made, IPPROTO_IPV6, IPV6_V6ONLY, false)) &&
                     ::bind(made, endpoint.data(), static_cast<socklen_t>(endpoint.size())) == 0;
  if (bound) return made;
  const auto why = last_error();
  ::close(made);
  return why;
}

Result<int> bind_to(const ListenOptions& options, Purpose purpose) {
  if (!options.host.empty()) {
    error_code ec;
    const auto address = boost::asio::ip::make_address(options.host, ec);
    if (ec) return ec;
    return bind_to(Tcp::endpoint(address, options.port), purpose, Families::one);
  }
  auto both = bind_to(Tcp::endpoint(Tcp::v6(), options.port), purpose, Families::both);
  // On a machine without IPv6, listen on IPv4 only.
  if (both.has_error() && both.error() != error::address_in_use && both.error() != error::access_denied)
    return bind_to(Tcp::endpoint(Tcp::v4(), options.port), purpose, Families::one);
  return both;
}

}  // namespace

Result<BoundSocket, std::string> BoundSocket::bind(const ListenOptions& options) {
  const auto bound = bind_to(options, Purpose::listen);
  if (bound.has_error()) return explain_bind(bound.error(), options);
  return BoundSocket(*bound);
}

Result<BoundSocket, std::string> BoundSocket::adopt(int descriptor) {
  using Made = Result<BoundSocket, std::string>;
  const auto fail = [](std::string why) { return Made(boost::system::in_place_error, std::move(why)); };
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) return fail("it is not a socket");
  if (address.ss_family != AF_INET && address.ss_family != AF_INET6) return fail("it is not a TCP socket");
  if (!has_option(descriptor, SOL_SOCKET, SO_ACCEPTCONN)) return fail("it does not listen");
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0 || ::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0 || ::fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0)
    return fail(last_error().message());
  return BoundSocket(descriptor);
}

BoundSocket& BoundSocket::operator=(BoundSocket&& other) noexcept {
  if (this == &other) return *this;
  close();
  descriptor_ = other.release();
  return *this;
}

int BoundSocket::release() noexcept { return std::exchange(descriptor_, -1); }

void BoundSocket::close() noexcept {
  if (descriptor_ >= 0) ::close(release());
}

Result<void, std::string> BoundSocket::listen() {
  if (::listen(descriptor_, Listener::kBacklog) == 0) return {};
  const auto why = last_error();
  return "cannot listen on " + shown(local()) + ": " + why.message();
}

Result<BoundSocket, std::string> BoundSocket::duplicate() const {
  const int copy = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return "cannot listen on " + shown(local()) + ": " + last_error().message();
  return BoundSocket(copy);
}

bool BoundSocket::shares_port() const noexcept { return has_option(descriptor_, SOL_SOCKET, SO_REUSEPORT); }

Tcp::endpoint BoundSocket::local() const noexcept {
  Tcp::endpoint out;
  auto size = static_cast<socklen_t>(out.capacity());
  if (::getsockname(descriptor_, out.data(), &size) == 0) out.resize(size);
  return out;
}

bool BoundSocket::fits(const ListenOptions& options) const {
  const auto at = local();
  if (options.port != 0 && options.port != at.port()) return false;
  if (options.host.empty()) return at.address().is_unspecified() && !has_option(descriptor_, IPPROTO_IPV6, IPV6_V6ONLY);
  error_code ec;
  return at.address() == boost::asio::ip::make_address(options.host, ec) && !ec;
}

std::string shown(const Tcp::endpoint& endpoint) {
  const auto text = endpoint.address().to_string();
  return (endpoint.address().is_v6() ? "[" + text + "]" : text) + ":" + std::to_string(endpoint.port());
}

Result<void, std::string> check_free(const ListenOptions& options) {
  const auto alone = bind_to(options, Purpose::look);
  if (alone.has_error()) return explain_bind(alone.error(), options);
  ::close(*alone);
  return {};
}

}  // namespace headgate::net
