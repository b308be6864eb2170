#include "security/h2/bystander.hpp"

#include "blackbox/harness/h2_client.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace headgate::test::h2 {
namespace {

using Clock = std::chrono::steady_clock;

/// One answer after another, so that the window never matters.
constexpr std::uint32_t kWindow = 0x3fffffff;
constexpr std::uint32_t kStreams = 2'000'000'000;
/// :status 200 in the static table of HPACK; a change of the table's size may stand before it.
constexpr unsigned char k200 = 0x88;

bool says_200(std::string_view block) {
  while (!block.empty() && (static_cast<unsigned char>(block.front()) & 0xe0U) == 0x20U) {
    std::size_t size = 1;
    if ((static_cast<unsigned char>(block.front()) & 0x1fU) == 0x1fU)
      while (size < block.size() && (static_cast<unsigned char>(block[size++]) & 0x80U) != 0) {
      }
    block.remove_prefix(size);
  }
  return !block.empty() && static_cast<unsigned char>(block.front()) == k200;
}

}  // namespace

std::chrono::nanoseconds Waits::at(double share) const {
  const auto all = answered.size() + lost;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(all)));
  if (rank == 0 || rank > answered.size()) return patience;
  return answered[rank - 1];
}

Bystander::Bystander(std::uint16_t port, unsigned a_second, std::chrono::seconds patience)
    : port_(port), every_(std::chrono::nanoseconds(std::chrono::seconds(1)) / a_second), patience_(patience) {
  waits_.patience = patience;
  thread_ = std::thread([this] { run(); });
}

Bystander::~Bystander() {
  if (thread_.joinable()) stop();
}

Waits Bystander::stop() {
  stopping_ = true;
  thread_.join();
  std::ranges::sort(waits_.answered);
  return waits_;
}

void Bystander::run() {
  for (auto due = Clock::now(); !stopping_; due += every_) {
    std::this_thread::sleep_until(due);
    if ((fd_ >= 0 || connect()) && ask() && answered(due + patience_)) {
      waits_.answered.emplace_back(Clock::now() - due);
      ++answers_;
    } else {
      ++waits_.lost;
      disconnect();
      due = std::max(due, Clock::now() - every_);  // what it could not ask meanwhile is not asked at once
    }
  }
  disconnect();
}

bool Bystander::connect() {
  disconnect();
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const timeval patient{patience_.count(), 0};  // of a connect, too
  setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patient, sizeof patient);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port_);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return false;
  const auto hello = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" +
                     h2_frame(h2_settings, 0, 0, std::string("\0\4", 2) + h2_number(kWindow)) +
                     h2_frame(h2_window_update, 0, 0, h2_number(kWindow));
  return send(fd_, hello.data(), hello.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(hello.size());
}

void Bystander::disconnect() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  stream_ = 0;
  in_.clear();
}

bool Bystander::ask() {
  stream_ = stream_ == 0 ? 1 : stream_ + 2;
  if (stream_ > kStreams) return false;
  const auto request = h2_request(stream_, h2_get("/"));
  return send(fd_, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size());
}

bool Bystander::answered(Clock::time_point end) {
  bool ok = false;
  bool last = false;
  std::array<char, 16UL * 1024> bytes;
  while (true) {
    for (H2Frame frame; take_h2_frame(in_, frame);) {
      const bool asks = (frame.flags & kAck) == 0;
      if ((frame.type == h2_settings || frame.type == h2_ping) && asks) {
        const auto ack = h2_frame(frame.type, kAck, 0, frame.type == h2_ping ? frame.payload : "");
        send(fd_, ack.data(), ack.size(), MSG_NOSIGNAL);
      }
      if (frame.type == h2_goaway) last = true;
      if (frame.stream != stream_) continue;
      if (frame.type == h2_rst_stream) return false;
      if (frame.type == h2_headers) ok = says_200(frame.payload);
      const bool ends = (frame.type == h2_headers || frame.type == h2_data) && (frame.flags & kEndStream) != 0;
      if (!ends) continue;
      if (last) disconnect();
      return ok;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd ready{fd_, POLLIN, 0};
    if (left <= 0 || poll(&ready, 1, static_cast<int>(left)) <= 0) return false;
    const auto got = recv(fd_, bytes.data(), bytes.size(), 0);
    if (got <= 0) return false;
    in_.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace headgate::test::h2
