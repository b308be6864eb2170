#include "handover.hpp"

#include "headgate/core/hash_secret.hpp"
#include "headgate/observe/event.hpp"
#include "headgate/server/serve_gateway.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

extern char** environ;

namespace headgate::server {
namespace {

using observe::event;
using observe::LogLevel;

/// How many descriptors from 3 on are sockets for clients, and how many after them for the admin interface: "4 1". The
/// one after them is the control socket. A third word says that the process gives its state; older ones read two.
constexpr std::string_view kVariable = "HEADGATE_HANDOVER";
constexpr int kFirstHanded = 3;
constexpr char kServes = 's';
constexpr char kWantsState = 'w';
constexpr char kState = 'S';  ///< with a descriptor, or without one
constexpr std::string_view kGivesState = "state1";
constexpr auto kReapEvery = std::chrono::milliseconds(50);
constexpr int kReapLooks = 100;

std::string reason(int error) { return std::strerror(error); }

/// Descriptors that are closed with the scope.
struct Descriptors {
  std::vector<int> list;
  ~Descriptors() {
    for (const int each : list) ::close(each);
  }
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (auto& each : texts) out.push_back(each.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> environment_with(const std::string& handover) {
  std::vector<std::string> out;
  for (char** each = environ; *each != nullptr; ++each)
    if (!std::string_view(*each).starts_with(std::string(kVariable) + '=')) out.emplace_back(*each);
  out.push_back(std::string(kVariable) + '=' + handover);
  return out;
}

/// Starts the program with exactly these descriptors from kFirstHanded on. Sockets of clients would stay open in it.
Result<pid_t, std::string> spawn(const CommandLine& command, std::span<const int> descriptors,
                                 const std::string& handover) {
  // Copies above the places where they shall be: none is overwritten before it is in its place.
  Descriptors copies;
  const int above = kFirstHanded + static_cast<int>(descriptors.size());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  int failure = 0;
  int place = kFirstHanded;
  for (const int each : descriptors) {
    const int copy = ::fcntl(each, F_DUPFD_CLOEXEC, above);
    if (copy < 0) {
      failure = errno;
      break;
    }
    copies.list.push_back(copy);
    posix_spawn_file_actions_adddup2(&actions, copy, place++);
  }
  posix_spawn_file_actions_addclosefrom_np(&actions, above);
  auto words = command.words;
  auto environment = environment_with(handover);
  pid_t child = 0;
  for (const auto* program : {&command.program, &command.file}) {
    if (failure != 0 || child != 0) break;
    const int error = ::posix_spawnp(&child, program->c_str(), &actions, nullptr, pointers(words).data(),
                                     pointers(environment).data());
    if (error != 0) child = 0;
    if (error != 0 && program == &command.file) failure = error;
  }
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return "cannot start " + command.program + ": " + reason(failure);
  return child;
}

/// A word, with a descriptor if it is not negative.
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

/// The descriptor of the next word; -1 if it has none, or nothing comes in time.
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

}  // namespace

CommandLine CommandLine::of_this_process() {
  CommandLine out;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t at = 0; at < all.size(); at = all.find('\0', at) + 1) out.words.emplace_back(all.c_str() + at);
  std::error_code ec;
  out.file = std::filesystem::read_symlink("/proc/self/exe", ec).string();
  out.program = out.words.empty() ? out.file : out.words.front();
  // Not resolved further: a link to the program may point to the next version later.
  if (out.program.find('/') != std::string::npos) out.program = std::filesystem::absolute(out.program, ec).string();
  return out;
}

namespace {

/// What the process that started this one has passed.
struct Passed {
  int clients = 0;
  int admin = 0;
  int control = -1;  ///< none: nobody passed anything
  bool state = false;
};

Passed read_passed() {
  const char* const text = std::getenv(kVariable.data());
  std::istringstream words(text ? text : "");
  Passed out;
  if (!(words >> out.clients >> out.admin) || out.clients < 0 || out.admin < 0) return {};
  std::string state;
  out.state = (words >> state) && state == kGivesState;
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

void take_over_hashes() noexcept { (void)TakenOver::adopt_secret(); }

TakenOver TakenOver::from_environment(PassedSockets& clients, PassedSockets& admin) {
  const auto passed = read_passed();
  ::unsetenv(kVariable.data());
  if (passed.control < 0) return {-1, false};
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

TakenOver::~TakenOver() {
  if (control_ >= 0) ::close(control_);
}

void TakenOver::serves() noexcept {
  if (control_ < 0) return;
  ::send(control_, &kServes, 1, MSG_NOSIGNAL);  // if the old process is gone, nobody needs to know
  ::close(std::exchange(control_, -1));
}

Handover::Handover(boost::asio::io_context& loop, CommandLine command, std::function<void(pid_t)> serves,
                   std::function<int()> write_state)
    : loop_(loop),
      command_(std::move(command)),
      serves_(std::move(serves)),
      write_state_(std::move(write_state)),
      control_(loop),
      late_(loop),
      reaping_(loop) {}

void Handover::begin(const std::vector<int>& clients, const std::vector<int>& admin) {
  if (child_ != 0) return event(LogLevel::warning, "upgrade_running", "a new process is being started already");
  if (::getpid() == 1)
    return event(LogLevel::error, "upgrade_failed",
                 "the first process of a container cannot be replaced from within; replace the container");
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return failed(reason(errno));
  auto descriptors = clients;
  descriptors.insert(descriptors.end(), admin.begin(), admin.end());
  descriptors.push_back(pair[1]);
  const auto& secret = hash_secret();
  (void)::send(pair[0], secret.data(), secret.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  const auto child =
      spawn(command_, descriptors,
            std::to_string(clients.size()) + ' ' + std::to_string(admin.size()) + ' ' + std::string(kGivesState));
  ::close(pair[1]);
  if (child.has_error()) {
    ::close(pair[0]);
    return failed(child.error());
  }
  child_ = *child;
  event(LogLevel::info, "upgrade_begun", "a new process has been started", {{"pid", child_}});
  control_.assign(pair[0]);
  late_.expires_after(kPatience);
  late_.async_wait([this](const error_code& ec) {
    if (ec || child_ == 0) return;
    ::kill(child_, SIGKILL);
    failed("the new process did not serve in time");
  });
  listen();
}

void Handover::listen() {
  control_.async_read_some(boost::asio::buffer(&word_, 1), [this](const error_code& ec, std::size_t bytes) {
    if (child_ == 0) return;
    // It closed without reading all that was written to it, which an older version does. The kernel tells that once,
    // and then what it said before.
    if (ec == boost::asio::error::connection_reset) return listen();
    heard(ec ? 0 : bytes);
  });
}

void Handover::heard(std::size_t bytes) {
  if (bytes != 0 && word_ == kWantsState) return give_state();
  if (bytes == 0) return failed("the new process has ended; what it wrote to stderr says why");
  error_code ignored;
  control_.close(ignored);
  late_.cancel();
  serves_(std::exchange(child_, 0));
}

/// Counting goes on meanwhile: what is taken while the file is written may be in it or not.
void Handover::give_state() {
  if (writing_.joinable()) return listen();
  writing_ = std::thread([this, child = child_] {
    const int file = write_state_();
    boost::asio::post(loop_, [this, child, file] { send_state(child, file); });
  });
  listen();
}

void Handover::send_state(pid_t child, int file) {
  if (writing_.joinable()) writing_.join();
  if (child_ == child) send_word(control_.native_handle(), kState, file);
  if (file >= 0) ::close(file);
}

void Handover::failed(const std::string& why) {
  event(LogLevel::error, "upgrade_failed", "this process goes on to serve", {{"reason", why}});
  error_code ignored;
  control_.close(ignored);
  late_.cancel();
  if (child_ != 0) reap(std::exchange(child_, 0), kReapLooks);
}

/// Its end may be a moment after its last word. Without this it would stay as a zombie.
void Handover::reap(pid_t child, int looks) {
  if (::waitpid(child, nullptr, WNOHANG) != 0 || looks == 0) return;
  reaping_.expires_after(kReapEvery);
  reaping_.async_wait([this, child, looks](const error_code& ec) {
    if (!ec) reap(child, looks - 1);
  });
}

void Handover::stop() {
  if (writing_.joinable()) writing_.join();
  if (child_ != 0) ::kill(std::exchange(child_, 0), SIGTERM);
  error_code ignored;
  control_.close(ignored);
  late_.cancel();
  reaping_.cancel();
}

}  // namespace headgate::server
