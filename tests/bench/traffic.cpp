#include "traffic.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

namespace headgate::bench {

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail_with(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void no_delay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// The value of Content-Length in a head, or npos where there is none. Peers spell the name in two ways.
std::size_t content_length(std::string_view head) {
  for (std::string_view name : {"\r\nContent-Length: ", "\r\ncontent-length: "}) {
    if (auto at = head.find(name); at != head.npos) {
      std::size_t length = 0;
      std::from_chars(head.data() + at + name.size(), head.data() + head.size(), length);
      return length;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::string request_with(const std::string& field) {
  return "GET /bench HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench\r\nAccept: */*\r\n" + field + "\r\n\r\n";
}

std::vector<std::string> requests_of(unsigned keys) {
  std::vector<std::string> requests;
  for (unsigned key = 0; key < keys; ++key)
    requests.push_back(request_with("X-API-Key: key-" + std::to_string(100'000 + key)));
  return requests;
}

struct Traffic::Connection {
  int fd;
  Role role;
  std::size_t place;          // in connections_
  std::string partial = {};   // a head that has not arrived whole
  std::size_t body_left = 0;  // of the answer being read
  int status = 0;
  unsigned sent = 0;
  bool answering = false;  // between an answer's head and its end
  bool dead = false;
  std::unique_ptr<TlsConnection> tls = {};
};

Traffic::Traffic() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_ < 0) fail_with("epoll_create1");
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener < 0) fail_with("socket");
  auto address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0) fail_with("bind");
  if (listen(listener, SOMAXCONN) != 0) fail_with("listen");
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  upstream_port_ = ntohs(address.sin_port);
  adopt(listener, Role::listener);
  answer_with(128);
}

Traffic::~Traffic() {
  for (auto& connection : connections_) close(connection->fd);
  close(epoll_);
}

void Traffic::answer_with(std::size_t body_bytes) {
  answer_ = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + std::to_string(body_bytes) +
            "\r\n\r\n" + std::string(body_bytes, 'x');
}

Traffic::Connection& Traffic::adopt(int fd, Role role) {
  connections_.push_back(
      std::make_unique<Connection>(Connection{.fd = fd, .role = role, .place = connections_.size()}));
  auto& connection = *connections_.back();
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = &connection;
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0) fail_with("epoll_ctl");
  return connection;
}

void Traffic::drop(Connection& connection) {
  if (connection.dead) return;
  connection.dead = true;
  close(connection.fd);
  const auto place = connection.place;
  dropped_.push_back(std::move(connections_[place]));
  if (place + 1 != connections_.size()) {
    connections_[place] = std::move(connections_.back());
    connections_[place]->place = place;
  }
  connections_.pop_back();
}

void Traffic::start(std::uint16_t port, const Calling& calling, std::vector<std::string> requests) {
  tally_ = {};
  port_ = port;
  calling_ = calling;
  requests_ = std::move(requests);
  for (unsigned i = 0; i < calling.connections; ++i) call();
}

void Traffic::call() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail_with("socket");
  const auto address = loopback(port_);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail_with("connect to the proxy");
  no_delay(fd);
  auto& connection = adopt(fd, Role::load);
  ++tally_.opened;
  if (calling_.secrecy != Secrecy::none) {
    connection.tls = tls_[port_].begin(fd, calling_.secrecy == Secrecy::resumed);
    if (!connection.tls->handshake()) {
      ++tally_.failed;
      return drop(connection);
    }
    if (connection.tls->resumed()) ++tally_.resumed;
  }
  send_request(connection);
}

void Traffic::stop() {
  std::vector<Connection*> load;
  for (auto& connection : connections_) {
    if (connection->role == Role::load) load.push_back(connection.get());
  }
  for (auto* connection : load) drop(*connection);
  dropped_.clear();
}

void Traffic::run_until(std::uint64_t answers, std::chrono::microseconds at_most) {
  const auto end = Clock::now() + at_most;
  while (tally_.ok + tally_.refused < answers && tally_.failed == 0 && Clock::now() < end)
    run_for(std::chrono::milliseconds(5));
}

void Traffic::run_for(std::chrono::microseconds duration) {
  std::array<epoll_event, 256> events;
  const auto end = Clock::now() + duration;
  for (auto now = Clock::now(); now < end; now = Clock::now()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - now);
    const int ready =
        epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), static_cast<int>(left.count()));
    for (int i = 0; i < ready; ++i) {
      auto& connection = *static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr);
      if (!connection.dead) on_ready(connection);
    }
    dropped_.clear();
  }
}

void Traffic::on_ready(Connection& connection) {
  if (connection.role == Role::listener) return accept_all(connection.fd);
  const auto got = recv(connection.fd, scratch_.data(), scratch_.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    if (connection.role == Role::load) ++tally_.failed;
    return drop(connection);
  }
  const std::string_view bytes(scratch_.data(), static_cast<std::size_t>(got));
  if (connection.role == Role::upstream) return serve(connection, bytes);
  if (connection.tls) return take_sealed(connection, bytes);
  take_answer(connection, bytes);
}

void Traffic::accept_all(int listener) {
  for (;;) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    no_delay(fd);
    adopt(fd, Role::upstream);
  }
}

void Traffic::serve(Connection& connection, std::string_view bytes) {
  // The proxies send one request at a time, without a body: a head that ends the bytes is a request.
  if (connection.partial.empty() && bytes.ends_with("\r\n\r\n")) return send_all(connection, answer_);
  connection.partial.append(bytes);
  if (!connection.partial.ends_with("\r\n\r\n")) return;
  connection.partial.clear();
  send_all(connection, answer_);
}

void Traffic::take_sealed(Connection& connection, std::string_view bytes) {
  connection.tls->received(bytes);
  while (!connection.dead) {
    const int got = connection.tls->open(scratch_);
    if (got == 0) return;
    if (got < 0) {
      ++tally_.failed;
      return drop(connection);
    }
    take_answer(connection, {scratch_.data(), static_cast<std::size_t>(got)});
  }
}

void Traffic::take_answer(Connection& connection, std::string_view bytes) {
  if (connection.answering) {
    if (bytes.size() > connection.body_left) {
      ++tally_.failed;
      return drop(connection);
    }
    connection.body_left -= bytes.size();
    if (connection.body_left == 0) answered(connection);
    return;
  }
  if (!connection.partial.empty()) {
    connection.partial.append(bytes);
    bytes = connection.partial;
  }
  const auto end = bytes.find("\r\n\r\n");
  if (end == bytes.npos) {
    if (connection.partial.empty()) connection.partial.assign(bytes);
    return;
  }
  const auto head = bytes.substr(0, end + 2);
  const auto length = content_length(head);
  const auto body = bytes.size() - (end + 4);
  if (!head.starts_with("HTTP/1.1 ") || length == head.npos || body > length) {
    ++tally_.failed;
    return drop(connection);
  }
  connection.status = (head[9] - '0') * 100 + (head[10] - '0') * 10 + (head[11] - '0');
  connection.body_left = length - body;
  connection.answering = true;
  connection.partial.clear();
  if (connection.body_left == 0) answered(connection);
}

void Traffic::answered(Connection& connection) {
  connection.answering = false;
  ++(connection.status == 200 ? tally_.ok : connection.status == 429 ? tally_.refused : tally_.failed);
  if (connection.status != 200 && connection.status != 429) tally_.wrong = connection.status;
  if (calling_.requests_each == 0 || connection.sent < calling_.requests_each) return send_request(connection);
  if (!calling_.anew) return;
  drop(connection);
  call();
}

void Traffic::send_request(Connection& connection) {
  next_request_ = (next_request_ + 1) % requests_.size();
  ++connection.sent;
  send_all(connection, requests_[next_request_]);
}

void Traffic::send_all(Connection& connection, std::string_view bytes) {
  // Far below what a fresh socket buffer takes, so a short write means that the peer is gone.
  const bool sent = connection.tls ? connection.tls->send(bytes)
                                   : send(connection.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
                                         static_cast<ssize_t>(bytes.size());
  if (sent) return;
  if (connection.role == Role::load) ++tally_.failed;
  drop(connection);
}

}  // namespace headgate::bench
