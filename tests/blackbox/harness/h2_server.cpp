#include "blackbox/harness/h2_server.hpp"

#include <nghttp2/nghttp2.h>
#include <sys/socket.h>

#include <utility>

namespace headgate::test {
namespace {

constexpr std::string_view kClientPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

}  // namespace

std::string h2_answer(std::uint32_t stream, const H2Fields& fields, const std::string& body, const H2Fields& trailers) {
  std::string out = h2_request(stream, fields, body.empty() && trailers.empty());
  constexpr std::size_t kMax = 16'384;
  for (std::size_t at = 0; at < body.size(); at += kMax) {
    const bool last = at + kMax >= body.size() && trailers.empty();
    out += h2_frame(h2_data, last ? kEndStream : 0, stream, body.substr(at, kMax));
  }
  if (!trailers.empty()) out += h2_request(stream, trailers, true);
  return out;
}

H2Server::H2Server(Answer answer, std::string settings)
    : answer_(std::move(answer)), settings_(std::move(settings)), listener_(Socket::listen()) {
  acceptor_ = std::thread([this] { accept_all(); });
}

H2Server::~H2Server() {
  stopping_ = true;
  listener_.shut_down();
  acceptor_.join();
  hang_up();
  for (auto& each : open_) each.thread.join();
}

std::vector<H2Asked> H2Server::asked() const {
  const std::lock_guard lock(mutex_);
  return asked_;
}

void H2Server::say(const std::string& bytes, unsigned connection) {
  const std::lock_guard lock(mutex_);
  for (auto& each : open_)
    if (connection == 0 || each.number == connection) each.socket.send(bytes, kPatience);
}

void H2Server::hang_up() {
  const std::lock_guard lock(mutex_);
  for (auto& each : open_) each.socket.shut_down();
}

void H2Server::accept_all() {
  while (!stopping_) {
    const int fd = ::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const std::lock_guard lock(mutex_);
    auto& connection = open_.emplace_back();
    connection.socket = Socket(fd);
    connection.number = ++accepted_;
    connection.thread = std::thread([this, &connection] { serve(connection); });
  }
}

void H2Server::serve(Connection& connection) {
  nghttp2_hd_inflater* inflater = nullptr;
  nghttp2_hd_inflate_new(&inflater);
  std::map<std::uint32_t, H2Asked> streams;
  std::string bytes, block;
  bool greeted = false;
  while (connection.socket.receive(bytes, kForever) == Got::bytes) {
    if (!greeted) {
      if (bytes.size() < kClientPreface.size()) continue;
      bytes.erase(0, kClientPreface.size());
      greeted = true;
      std::this_thread::sleep_for(greet_after_.load());
      const std::lock_guard lock(mutex_);
      connection.socket.send(h2_frame(h2_settings, 0, 0, settings_));
    }
    for (H2Frame frame; take_h2_frame(bytes, frame);) take(connection, frame, streams, block, inflater);
  }
  nghttp2_hd_inflate_del(inflater);
  const std::lock_guard lock(mutex_);
  connection.socket.shut_down();
}

void H2Server::take(Connection& connection, const H2Frame& frame, std::map<std::uint32_t, H2Asked>& streams,
                    std::string& block, nghttp2_hd_inflater* inflater) {
  if (frame.type == h2_ping && (frame.flags & kAck) == 0 && !silent_) {
    const std::lock_guard lock(mutex_);
    connection.socket.send(h2_frame(h2_ping, kAck, 0, frame.payload));
  }
  if (frame.type == h2_settings && (frame.flags & kAck) == 0) {
    const std::lock_guard lock(mutex_);
    connection.socket.send(h2_frame(h2_settings, kAck, 0));
  }
  if (frame.stream == 0) return;
  auto& stream = streams[frame.stream];
  stream.connection = connection.number;
  stream.stream = frame.stream;
  if (frame.type == h2_data) {
    stream.body += frame.payload;
    if (!frame.payload.empty()) {
      const auto size = h2_number(static_cast<std::uint32_t>(frame.payload.size()));
      const std::lock_guard lock(mutex_);
      connection.socket.send(h2_frame(h2_window_update, 0, 0, size) +
                             h2_frame(h2_window_update, 0, frame.stream, size));
    }
  }
  bool head = false;
  if (frame.type == h2_headers || frame.type == h2_continuation) {
    block += frame.payload;
    if ((frame.flags & kEndHeaders) == 0) return;
    head = stream.fields.empty();
    (head ? stream.fields : stream.trailers) = h2_fields_of(inflater, std::exchange(block, {}));
  }
  if (frame.type == h2_rst_stream) {
    stream.reset = true;
    stream.code = frame.number();
  }
  const bool may_end = frame.type == h2_data || frame.type == h2_headers;
  const bool ends = may_end && (frame.flags & kEndStream) != 0;
  stream.ended = stream.ended || ends;
  if (head || ends || stream.reset) tell(connection, stream);
}

void H2Server::tell(Connection& connection, const H2Asked& asked) {
  const auto out = answer_(asked);
  const std::lock_guard lock(mutex_);
  asked_.push_back(asked);
  if (!out.empty()) connection.socket.send(out, kPatience);
}

}  // namespace headgate::test
