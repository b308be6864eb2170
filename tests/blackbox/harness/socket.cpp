#include "blackbox/harness/socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace headgate::test {
namespace {

/// An address of either family, for connect() and bind().
struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  Address(const std::string& text, std::uint16_t port) {
    if (text.find(':') != std::string::npos) {
      sockaddr_in6 six{};
      six.sin6_family = AF_INET6;
      six.sin6_port = htons(port);
      ::inet_pton(AF_INET6, text.c_str(), &six.sin6_addr);
      std::memcpy(&storage, &six, size = sizeof six);
    } else {
      sockaddr_in four{};
      four.sin_family = AF_INET;
      four.sin_port = htons(port);
      ::inet_pton(AF_INET, text.c_str(), &four.sin_addr);
      std::memcpy(&storage, &four, size = sizeof four);
    }
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

/// Whether `fd` becomes ready for `events` in time.
bool ready(int fd, short events, Milliseconds timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  while (true) {
    const auto left = std::chrono::duration_cast<Milliseconds>(until - std::chrono::steady_clock::now());
    pollfd entry{fd, events, 0};
    const int got = ::poll(&entry, 1, left.count() > 0 ? static_cast<int>(left.count()) : 0);
    if (got > 0) return true;
    if (got == 0 || errno != EINTR) return false;
  }
}

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
    tls_ = std::move(other.tls_);
  }
  return *this;
}

Socket Socket::connect(std::uint16_t port, const std::string& address, const std::string& source,
                       Milliseconds timeout) {
  const Address there(address, port);
  Socket made(::socket(there.get()->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!source.empty()) {
    const Address here(source, 0);
    if (::bind(made.fd_, here.get(), here.size) != 0) return {};
  }
  if (::connect(made.fd_, there.get(), there.size) != 0) {
    if (errno != EINPROGRESS || !ready(made.fd_, POLLOUT, timeout)) return {};
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(made.fd_, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return {};
  }
  const int on = 1;
  ::setsockopt(made.fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return made;
}

Socket Socket::listen(int backlog, std::uint16_t port) {
  const Address here("127.0.0.1", port);
  Socket made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::bind(made.fd_, here.get(), here.size) != 0 || ::listen(made.fd_, backlog) != 0) return {};
  return made;
}

Socket Socket::accept(Milliseconds timeout) const {
  if (!ready(fd_, POLLIN, timeout)) return {};
  return Socket(::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC));
}

std::uint16_t Socket::local_port() const {
  sockaddr_in here{};
  socklen_t size = sizeof here;
  if (::getsockname(fd_, reinterpret_cast<sockaddr*>(&here), &size) != 0) return 0;
  return ntohs(here.sin_port);
}

bool Socket::send(std::string_view bytes, Milliseconds timeout) {
  while (!bytes.empty()) {
    const std::size_t sent = send_some(bytes);
    bytes.remove_prefix(sent);
    if (sent > 0) continue;
    if (errno != EAGAIN || !ready(fd_, POLLOUT, timeout)) return false;
  }
  return is_open();
}

bool Socket::secure(const TlsOffer& offer, Milliseconds timeout) {
  if (!is_open()) return false;
  ::fcntl(fd_, F_SETFL, ::fcntl(fd_, F_GETFL) | O_NONBLOCK);
  tls_ = std::make_unique<TlsClient>(fd_, offer);
  while (true) {
    const auto step = tls_->shake_hands();
    if (step == TlsClient::Step::done) return true;
    const bool reads = step == TlsClient::Step::wants_read;
    if (!reads && step != TlsClient::Step::wants_write) return false;
    if (!ready(fd_, reads ? POLLIN : POLLOUT, timeout)) return false;
  }
}

std::size_t Socket::send_some(std::string_view bytes) {
  if (tls_) {
    std::size_t written = 0;
    const auto step = tls_->write(bytes, written);
    errno = step == TlsClient::Step::wants_write || step == TlsClient::Step::done ? EAGAIN : EPIPE;
    return written;
  }
  const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent > 0 ? static_cast<std::size_t>(sent) : 0;
}

Got Socket::receive_tls(std::string& into, Milliseconds timeout, std::size_t most) {
  const std::size_t before = into.size();
  into.resize(before + most);
  std::size_t got = 0;
  auto step = tls_->read(into.data() + before, most, got);
  while (step == TlsClient::Step::wants_read && ready(fd_, POLLIN, timeout))
    step = tls_->read(into.data() + before, most, got);
  into.resize(before + got);
  if (step == TlsClient::Step::done) return Got::bytes;
  if (step == TlsClient::Step::wants_read) return Got::timeout;
  return step == TlsClient::Step::ended ? Got::end : Got::reset;  // without a close_notify it is no end
}

Got Socket::receive(std::string& into, Milliseconds timeout, std::size_t most) {
  if (is_open() && tls_) return receive_tls(into, timeout, most);
  if (!is_open()) return Got::reset;  // it never connected, so do not wait
  if (!ready(fd_, POLLIN, timeout)) return Got::timeout;
  const std::size_t before = into.size();
  into.resize(before + most);
  const ssize_t got = ::recv(fd_, into.data() + before, most, 0);
  into.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
  if (got > 0) return Got::bytes;
  return got == 0 ? Got::end : Got::reset;
}

void Socket::finish_sending() {
  if (tls_) tls_->send_end();
  ::shutdown(fd_, SHUT_WR);
}

void Socket::shut_down() { ::shutdown(fd_, SHUT_RDWR); }

void Socket::reset_on_close() {
  const linger at_once{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

void Socket::reset() {
  reset_on_close();
  close();
}

void Socket::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

void Socket::shrink_receive_buffer() {
  const int bytes = 4096;
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

}  // namespace headgate::test
