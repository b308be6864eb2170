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

/// As a page of numbers: it can be compressed to a quarter or so.
std::string some_text(std::size_t bytes) {
  std::string out;
  for (unsigned i = 1; out.size() < bytes; ++i)
    out += "<li class=\"order\">" + std::to_string(i * 2654435761U % 100'000) + "</li>\n";
  out.resize(bytes);
  return out;
}

bool is_chunked(std::string_view head) {
  return head.find("\r\nTransfer-Encoding: chunked\r\n") != head.npos ||
         head.find("\r\ntransfer-encoding: chunked\r\n") != head.npos;
}

}  // namespace

std::string request_with(const std::string& field) {
  return "GET /bench HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench\r\nAccept: */*\r\n" + field + "\r\n\r\n";
}

std::vector<std::string> requests_of(unsigned keys, const std::string& fields) {
  std::vector<std::string> requests;
  for (unsigned key = 0; key < keys; ++key)
    requests.push_back(request_with("X-API-Key: key-" + std::to_string(100'000 + key) + fields));
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
  bool chunked = false;    // the same of one in chunks
  std::string tail = {};   // its last bytes
  bool dead = false;
  std::unique_ptr<TlsConnection> tls = {};
  std::unique_ptr<H2Caller> caller = {};      // of the load, where it speaks HTTP/2
  std::unique_ptr<H2Answerer> answerer = {};  // of the upstream, likewise
};

Traffic::Traffic() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_ < 0) fail_with("epoll_create1");
  upstream_port_ = listen_as(Role::listener);
  grpc_port_ = listen_as(Role::grpc_listener);
  answer_with(128);
}

std::uint16_t Traffic::listen_as(Role role) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener < 0) fail_with("socket");
  auto address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0) fail_with("bind");
  if (listen(listener, SOMAXCONN) != 0) fail_with("listen");
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  adopt(listener, role);
  return ntohs(address.sin_port);
}

Traffic::~Traffic() {
  for (auto& connection : connections_) close(connection->fd);
  close(epoll_);
}

void Traffic::answer_with(std::size_t body_bytes) {
  body_bytes_ = body_bytes;
  answer_ = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + std::to_string(body_bytes) +
            "\r\n\r\n" + some_text(body_bytes);
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
    const auto protocol = calling_.streams > 0 ? TlsClient::Protocol::http2 : TlsClient::Protocol::http1;
    connection.tls = tls_[port_].begin(fd, calling_.secrecy == Secrecy::resumed, protocol);
    if (!connection.tls->handshake()) {
      ++tally_.failed;
      return drop(connection);
    }
    if (connection.tls->resumed()) ++tally_.resumed;
  }
  if (calling_.streams == 0) return send_request(connection);
  const auto kind = calling_.decides ? H2Kind::decision
                    : calling_.grpc  ? H2Kind::grpc_unary
                    : connection.tls ? H2Kind::get_https
                                     : H2Kind::get;
  connection.caller = std::make_unique<H2Caller>(
      H2Caller::Calls{.kind = kind,
                      .streams = calling_.streams,
                      .requests = calling_.requests_each,
                      .answer = calling_.grpc ? kGrpcMessage : body_bytes_,
                      .messages = calling_.decides ? requests_ : std::vector<std::string>()});
  send_frames(connection);
}

void Traffic::open_more(unsigned streams) {
  std::vector<Connection*> load;
  for (auto& connection : connections_) {
    if (connection->caller) load.push_back(connection.get());
  }
  for (auto* connection : load) {
    connection->caller->open_more(streams);
    send_frames(*connection);
  }
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
  if (connection.role == Role::listener || connection.role == Role::grpc_listener) return accept_all(connection);
  const auto got = recv(connection.fd, scratch_.data(), scratch_.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    if (connection.role == Role::load) ++tally_.failed;
    return drop(connection);
  }
  const std::string_view bytes(scratch_.data(), static_cast<std::size_t>(got));
  if (connection.role == Role::upstream) return serve(connection, bytes);
  if (connection.tls)
    take_sealed(connection, bytes);
  else if (connection.caller)
    take_frames(connection, bytes);
  else
    return take_answer(connection, bytes);
  if (connection.caller && !connection.dead) send_frames(connection);
}

void Traffic::accept_all(const Connection& listener) {
  for (;;) {
    const int fd = accept4(listener.fd, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    no_delay(fd);
    auto& connection = adopt(fd, Role::upstream);
    if (listener.role == Role::grpc_listener) connection.answerer = std::make_unique<H2Answerer>();
  }
}

void Traffic::serve(Connection& connection, std::string_view bytes) {
  if (connection.answerer) {
    if (!connection.answerer->take(bytes, silent_ ? &tally_.held : nullptr)) return drop(connection);
    return send_all(connection, std::exchange(connection.answerer->out(), {}));
  }
  if (silent_) {
    tally_.held += bytes.ends_with("\r\n\r\n") ? 1 : 0;
    return;
  }
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
    const std::string_view opened(scratch_.data(), static_cast<std::size_t>(got));
    if (connection.caller)
      take_frames(connection, opened);
    else
      take_answer(connection, opened);
  }
}

void Traffic::take_frames(Connection& connection, std::string_view bytes) {
  const auto news = connection.caller->take(bytes);
  tally_.ok += news.right;
  if (news.why == nullptr) return;
  ++tally_.failed;
  tally_.why = news.why;
  drop(connection);
}

/// All that one read has caused, in one call.
void Traffic::send_frames(Connection& connection) {
  auto& out = connection.caller->out();
  if (!out.empty()) send_all(connection, out);
  out.clear();
  if (connection.dead || !connection.caller->left()) return;
  drop(connection);
  call();
}

void Traffic::take_answer(Connection& connection, std::string_view bytes) {
  if (connection.chunked) return take_chunks(connection, bytes);
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
  const bool chunked = is_chunked(head);
  if (!head.starts_with("HTTP/1.1 ") || (!chunked && (length == head.npos || body > length))) {
    ++tally_.failed;
    return drop(connection);
  }
  connection.status = (head[9] - '0') * 100 + (head[10] - '0') * 10 + (head[11] - '0');
  if (chunked) {
    connection.chunked = true;
    connection.tail.clear();
    const std::string first(bytes.substr(end + 4));
    connection.partial.clear();
    return take_chunks(connection, first);
  }
  connection.body_left = length - body;
  connection.answering = true;
  connection.partial.clear();
  if (connection.body_left == 0) answered(connection);
}

/// Until the last chunk, by its bytes: nobody sends the next answer before it was asked for.
void Traffic::take_chunks(Connection& connection, std::string_view bytes) {
  constexpr std::string_view kEnd = "0\r\n\r\n";
  connection.tail.append(bytes.substr(bytes.size() - std::min(bytes.size(), kEnd.size())));
  if (connection.tail.size() > kEnd.size()) connection.tail.erase(0, connection.tail.size() - kEnd.size());
  if (connection.tail != kEnd) return;
  connection.chunked = false;
  answered(connection);
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
  if (bytes.empty()) return;
  // Far below what a fresh socket buffer takes, so a short write means that the peer is gone.
  const bool sent = connection.tls ? connection.tls->send(bytes)
                                   : send(connection.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
                                         static_cast<ssize_t>(bytes.size());
  if (sent) return;
  if (connection.role == Role::load) ++tally_.failed;
  drop(connection);
}

}  // namespace headgate::bench
