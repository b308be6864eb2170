#include "blackbox/harness/fake_upstream.hpp"

#include "blackbox/harness/fake_answer.hpp"

#include <sys/socket.h>

namespace headgate::test {

struct FakeUpstream::Connection {
  Socket socket;
  std::size_t number = 0;
  std::size_t served = 0;
  std::thread thread;
};

FakeUpstream::FakeUpstream(std::uint16_t port) : listener_(Socket::listen(128, port)), port_(listener_.local_port()) {
  acceptor_ = std::thread([this] { accept_all(); });
}

FakeUpstream::~FakeUpstream() {
  stopping_ = true;
  release();
  listener_.shut_down();
  acceptor_.join();
  drop_connections();
  for (auto& connection : open_) connection.thread.join();
}

void FakeUpstream::accept_all() {
  while (!stopping_) {
    const int fd = ::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const std::lock_guard lock(mutex_);
    Connection& connection = open_.emplace_back();
    connection.socket = Socket(fd);
    connection.number = ++accepted_;
    connection.thread = std::thread([this, &connection] { serve(connection); });
    changed_.notify_all();
  }
}

void FakeUpstream::serve(Connection& connection) {
  MessageReader reader(connection.socket);
  while (!stopping_ && serve_one(connection, reader)) continue;
  const std::lock_guard lock(mutex_);
  connection.socket.close();
  ++closed_;
  changed_.notify_all();
}

bool FakeUpstream::serve_one(Connection& connection, MessageReader& reader) {
  while (reader.ahead().empty()) {
    const Got got = connection.socket.receive(reader.ahead());
    if (got == Got::end || got == Got::reset || stopping_) return false;
  }
  const Message head = reader.read_head();
  const std::size_t index = note(head, connection.number, reader.ahead());
  if (!head.ok()) return false;
  ++connection.served;
  FakeAnswer answer(connection.socket, head, connection.served > 1, [this] { return wait_released(); });
  if (!head.has("X-Test-Early")) {
    if (head.has("X-Test-Wait-Body") && !wait_released()) return false;
    if (!answer.invite_body()) return false;
    take_body(reader, index, head);
  }
  const Message request = with_own_fields(head.has("X-Test-Early") ? head : seen(index).message);
  if (!request.ok()) return false;
  if (request.has("Upgrade") && !request.has("X-Test-Status") && !request.has("X-Test-Raw")) {
    tunnel(connection, reader, request);
    return false;
  }
  return answer.send(request);
}

void FakeUpstream::answer_next(std::size_t requests, std::vector<Field> fields) {
  const std::lock_guard lock(mutex_);
  changed_answers_ = requests;
  own_fields_ = std::move(fields);
}

Message FakeUpstream::with_own_fields(Message request) {
  const std::lock_guard lock(mutex_);
  if (changed_answers_ == 0) return request;
  --changed_answers_;
  request.fields.insert(request.fields.end(), own_fields_.begin(), own_fields_.end());
  return request;
}

std::size_t FakeUpstream::note(const Message& head, std::size_t connection, const std::string& ahead) {
  const std::lock_guard lock(mutex_);
  if (head.ok()) {
    seen_.push_back({head, false, connection});
  } else {
    complaints_ += head.error + ": " + visible(head.head + ahead) + "\n";
  }
  changed_.notify_all();
  return seen_.size() - 1;
}

void FakeUpstream::take_body(MessageReader& reader, std::size_t index, Message message) {
  // In steps, so that a test sees a part of the body while the rest is not sent yet.
  reader.read_body(message, Kind::request, kForever, [this](std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    body_bytes_ += bytes;
    changed_.notify_all();
  });
  const std::lock_guard lock(mutex_);
  if (!message.ok()) complaints_ += message.error + "\n";
  seen_[index].whole = message.ok();
  seen_[index].message = std::move(message);
  changed_.notify_all();
}

void FakeUpstream::tunnel(Connection& connection, MessageReader& reader, const Message& request) {
  connection.socket.send(switching_head(request));
  std::size_t bytes = 0;
  std::string text = std::exchange(reader.ahead(), "");
  Got got = Got::bytes;
  while (!stopping_ && (got == Got::bytes || got == Got::timeout)) {
    bytes += text.size();
    if (!text.empty() && request.has("X-Test-Reset")) return connection.socket.reset_on_close();
    if (!text.empty()) connection.socket.send(text);
    text.clear();
    got = connection.socket.receive(text, Milliseconds(250));
  }
  if (got == Got::end) connection.socket.send("bye " + std::to_string(bytes));
}

std::vector<Seen> FakeUpstream::requests() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

Seen FakeUpstream::seen(std::size_t index) const {
  const std::lock_guard lock(mutex_);
  return seen_[index];
}

Seen FakeUpstream::last() const {
  const std::lock_guard lock(mutex_);
  return seen_.empty() ? Seen{} : seen_.back();
}

std::size_t FakeUpstream::connections() const {
  const std::lock_guard lock(mutex_);
  return accepted_;
}

std::size_t FakeUpstream::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

std::string FakeUpstream::complaints() const {
  const std::lock_guard lock(mutex_);
  return complaints_;
}

bool FakeUpstream::wait_until(const std::function<bool()>& holds, Milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, holds);
}

bool FakeUpstream::wait_for_requests(std::size_t whole) {
  return wait_until([&] {
    std::size_t count = 0;
    for (const auto& seen : seen_) count += seen.whole ? 1 : 0;
    return count >= whole;
  });
}

bool FakeUpstream::wait_for_heads(std::size_t count) {
  return wait_until([&] { return seen_.size() >= count; });
}

bool FakeUpstream::wait_for_closed(std::size_t count) {
  return wait_until([&] { return closed_ >= count; });
}

bool FakeUpstream::wait_for_body_bytes(std::size_t count) {
  return wait_until([&] { return body_bytes_ >= count; });
}

bool FakeUpstream::wait_released() {
  return wait_until([&] { return released_; }, kForever) && !stopping_;
}

void FakeUpstream::release() {
  const std::lock_guard lock(mutex_);
  released_ = true;
  changed_.notify_all();
}

void FakeUpstream::drop_connections() {
  const std::lock_guard lock(mutex_);
  for (auto& connection : open_) {
    if (connection.socket.is_open()) connection.socket.shut_down();
  }
}

}  // namespace headgate::test
