#include "output_datagrams.hpp"

#include "output.hpp"
#include "words.hpp"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace headgate::observe {
namespace {

constexpr std::string_view kJournalSocket = "/run/systemd/journal/socket";
constexpr std::string_view kSyslogSocket = "/dev/log";
constexpr std::size_t kMaxUdp = 60UL * 1024;  // below the largest UDP datagram

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "-";
  return name.data();
}

/// Returns whether the error means that the receiver is gone, so that the socket must be opened again.
bool is_gone(int error) noexcept {
  return error == ECONNREFUSED || error == ENOTCONN || error == ECONNRESET || error == EDESTADDRREQ || error == ENOENT;
}

}  // namespace

std::unique_ptr<Datagrams> Datagrams::of(const std::string& target) {
  for (const auto& [word, journal, local] :
       {std::tuple{std::string_view("journald"), true, kJournalSocket}, {"syslog", false, kSyslogSocket}}) {
    if (target == word) return std::unique_ptr<Datagrams>(new Datagrams(journal, std::string(local)));
    if (target.starts_with(word) && target[word.size()] == ':')
      return std::unique_ptr<Datagrams>(new Datagrams(journal, target.substr(word.size() + 1)));
  }
  return nullptr;
}

Datagrams::~Datagrams() { close(); }

void Datagrams::close() noexcept {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

Result<void, std::string> Datagrams::connect() {
  using Connected = Result<void, std::string>;
  close();
  why_.clear();
  const int error = where_.starts_with('/') ? open_local() : open_remote();
  if (error == 0) return Connected();
  close();
  return Connected(boost::system::in_place_error,
                   "cannot write the log to " + where_ + ": " + (why_.empty() ? std::strerror(error) : why_));
}

int Datagrams::open_local() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (where_.size() >= sizeof address.sun_path) return ENAMETOOLONG;
  std::memcpy(address.sun_path, where_.data(), where_.size());
  socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ < 0) return errno;
  return ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
}

int Datagrams::open_remote() {
  const auto colon = where_.rfind(':');
  auto host = where_.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), where_.substr(colon + 1).c_str(), &hints, &found); error != 0) {
    why_ = ::gai_strerror(error);
    return EHOSTUNREACH;
  }
  int error = EHOSTUNREACH;
  for (const addrinfo* each = found; each != nullptr && error != 0; each = each->ai_next) {
    close();
    socket_ = ::socket(each->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    error = socket_ >= 0 && ::connect(socket_, each->ai_addr, each->ai_addrlen) == 0 ? 0 : errno;
  }
  ::freeaddrinfo(found);
  return error;
}

int Datagrams::send(std::string_view line) {
  static const std::string host = host_name();
  if (line.size() < Output::kMarks) return 0;
  if (socket_ < 0 && connect().has_error()) return ENOTCONN;
  const int severity = line[0] - '0';
  const auto text = line.substr(Output::kMarks);
  datagram_.clear();
  if (journal_)
    append_journal(severity, text, datagram_);
  else
    append_syslog(severity, line[1] == Output::kRequest ? "request" : "event", text, host, datagram_);
  if (!where_.starts_with('/') && datagram_.size() > kMaxUdp) datagram_.resize(kMaxUdp);
  // If an earlier datagram was not received, the next send() fails without sending anything. So a second attempt is
  // made.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (::send(socket_, datagram_.data(), datagram_.size(), MSG_NOSIGNAL) >= 0) return 0;
    const int error = errno;
    if (!is_gone(error)) return error == ENOBUFS || error == EWOULDBLOCK ? EAGAIN : error;
    if (connect().has_error()) return error;
  }
  return ECONNREFUSED;
}

void append_syslog(int severity, std::string_view kind, std::string_view line, std::string_view host,
                   std::string& out) {
  constexpr int kDaemon = 3;  // facility "system daemons"
  out += '<' + std::to_string(kDaemon * 8 + severity) + ">1 ";
  append_time(out, now());
  out += ' ';
  out += host;
  out += " headgate " + std::to_string(::getpid()) + ' ';
  out += kind;
  out += " - ";
  out += line;
}

}  // namespace headgate::observe
