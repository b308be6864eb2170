// The side of the new process in an upgrade.

#include "handover.hpp"
#include "handover_words.hpp"
#include "state_form.hpp"

#include "headgate/core/hash_secret.hpp"
#include "headgate/server/serve_gateway.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace headgate::server {
namespace {

/// Returns the descriptor of the next message; -1 if the message has none, or if no message arrives in time.
int receive_descriptor(int control, std::chrono::milliseconds within) noexcept {
  pollfd waits{control, POLLIN, 0};
  if (::poll(&waits, 1, static_cast<int>(within.count())) != 1) return -1;
  char word = 0;
  iovec part{&word, 1};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  if (::recvmsg(control, &message, MSG_CMSG_CLOEXEC) != 1 || word != kState) return -1;
  const auto* const head = CMSG_FIRSTHDR(&message);
  if (head == nullptr || head->cmsg_type != SCM_RIGHTS || head->cmsg_len != CMSG_LEN(sizeof(int))) return -1;
  int out = -1;
  std::memcpy(&out, CMSG_DATA(head), sizeof out);
  return out;
}

bool is_control(int descriptor) noexcept {
  int type = 0;
  socklen_t size = sizeof type;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

/// The descriptors that the old process has passed.
struct PassedDescriptors {
  int clients = 0;
  int admin = 0;
  int control = -1;  ///< the control socket; -1 if no old process started this one
  bool state = false;
  bool hears = false;
};

/// The control socket to an old process that reads reports of mistakes; -1 if there is none, or after this process
/// serves.
int heard_by = -1;

PassedDescriptors read_passed() {
  const char* const text = std::getenv(kHandoverVariable.data());
  std::istringstream words(text ? text : "");
  PassedDescriptors out;
  if (!(words >> out.clients >> out.admin) || out.clients < 0 || out.admin < 0) return {};
  std::string state;
  out.state = (words >> state) && state == kGivesState;
  std::string hears;
  out.hears = (words >> hears) && hears == kHears;
  const int control = kFirstHanded + out.clients + out.admin;
  if (is_control(control)) out.control = control;
  return out;
}

}  // namespace

bool TakenOver::adopt_secret() noexcept {
  static const bool adopted = [] {
    const auto passed = read_passed();
    if (passed.control < 0 || !passed.state) return false;
    HashSecret secret{};
    const auto got = ::recv(passed.control, secret.data(), secret.size(), MSG_DONTWAIT);
    return got == static_cast<ssize_t>(secret.size()) && adopt_hash_secret(secret);
  }();
  return adopted;
}

bool replaces_another() noexcept { return TakenOver::is_heard(); }

bool tell_replaced(const std::vector<config::Diagnostic>& mistakes, const std::string& file) noexcept {
  std::size_t left = 20;
  for (const auto severity : {config::Severity::error, config::Severity::warning})
    for (const auto& each : mistakes) {
      if (each.severity != severity || left == 0) continue;
      if (!TakenOver::say(each, file)) return false;
      --left;
    }
  return TakenOver::is_heard();
}

bool tell_replaced(const std::string& why) noexcept {
  config::Diagnostic mistake;
  mistake.message = why;
  return TakenOver::say(mistake, {});
}

void take_over_hashes() noexcept { (void)TakenOver::adopt_secret(); }

TakenOver TakenOver::from_environment(PassedSockets& clients, PassedSockets& admin) {
  const auto passed = read_passed();
  ::unsetenv(kHandoverVariable.data());
  if (passed.control < 0) return {-1, false};
  if (passed.hears) heard_by = passed.control;
  ::fcntl(passed.control, F_SETFD, FD_CLOEXEC);
  for (int each = kFirstHanded; each < passed.control; ++each)
    if (auto socket = net::BoundSocket::adopt(each); socket.has_value())
      (each < kFirstHanded + passed.clients ? clients : admin).add(std::move(*socket));
  return {passed.control, passed.state};
}

int TakenOver::ask_state() noexcept {
  if (control_ < 0 || !gives_state_) return -1;
  send_word(control_, kWantsState, -1);
  return receive_descriptor(control_, kStatePatience);
}

bool TakenOver::is_heard() noexcept {
  if (heard_by >= 0) return true;
  const auto passed = read_passed();
  return passed.control >= 0 && passed.hears;
}

bool TakenOver::say(const config::Diagnostic& mistake, const std::string& file) noexcept {
  if (!is_heard()) return false;
  StateWriter words;
  words.number(static_cast<std::uint8_t>(mistake.severity == config::Severity::error ? 1 : 0));
  words.number(static_cast<std::uint64_t>(mistake.line));
  words.number(static_cast<std::uint64_t>(mistake.column));
  constexpr std::size_t kMaxText = kMaxWord / 4;
  for (const auto* text : {mistake.file.empty() ? &file : &mistake.file, &mistake.message})
    words.text(std::string_view(*text).substr(0, kMaxText));
  const auto all = kMistake + words.bytes();
  const int control = heard_by >= 0 ? heard_by : read_passed().control;
  return ::send(control, all.data(), all.size(), MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(all.size());
}

TakenOver::~TakenOver() {
  if (control_ >= 0) heard_by = -1;
  if (control_ >= 0) ::close(control_);
}

void TakenOver::serves() noexcept {
  if (control_ < 0) return;
  heard_by = -1;
  ::send(control_, &kServes, 1, MSG_NOSIGNAL);  // an error means that the old process has ended, and is ignored
  ::close(std::exchange(control_, -1));
}

void send_word(int control, char word, int descriptor) noexcept {
  iovec part{&word, 1};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    auto* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
  }
  (void)::sendmsg(control, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace headgate::server
