#include "blackbox/harness/flood.hpp"

#include <poll.h>

#include <cerrno>
#include <string_view>
#include <utility>

namespace headgate::test {
namespace {

constexpr Milliseconds kGlance{10};

template <class Holds>
bool wait_until(const Holds& holds) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!holds() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(kGlance);
  return holds();
}

}  // namespace

Flood::Flood(Socket socket, std::string first, std::string block)
    : socket_(std::move(socket)), first_(std::move(first)), block_(std::move(block)), thread_([this] { run(); }) {}

Flood::~Flood() {
  stopping_ = true;
  thread_.join();
}

bool Flood::wait_until_sent(std::size_t bytes) const {
  return wait_until([&] { return sent_ >= bytes || over_; }) && sent_ >= bytes;
}

void Flood::run() {
  std::string_view rest = first_;
  std::string dropped;
  bool hears = true;
  while (!stopping_) {
    if (rest.empty()) rest = block_;
    pollfd wanted{socket_.fd(), static_cast<short>(POLLOUT | (hears ? POLLIN : 0)), 0};
    if (::poll(&wanted, 1, static_cast<int>(kGlance.count())) <= 0) continue;
    if (wanted.revents & (POLLIN | POLLHUP | POLLERR)) {
      dropped.clear();
      const Got got = socket_.receive(dropped, Milliseconds(0));
      received_ += dropped.size();
      hears = got == Got::bytes || got == Got::timeout;
      // A peer that only closed its sending side may still read.
      if (got == Got::reset || (wanted.revents & (POLLHUP | POLLERR) && !hears)) break;
    }
    if (!(wanted.revents & POLLOUT)) continue;
    const std::size_t sent = socket_.send_some(rest);
    if (sent == 0 && errno != EAGAIN) break;
    rest.remove_prefix(sent);
    sent_ += sent;
  }
  over_ = !stopping_;
}

}  // namespace headgate::test
