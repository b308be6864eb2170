#pragma once
// Log lines as datagrams: to syslog (RFC 5424) and to the journal of systemd. Only for the thread of an output.

#include "headgate/core/result.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace headgate::observe {

/// One socket. Each line begins with its marks; see Output. Never blocks, but for the look-up of a host's name.
class Datagrams {
 public:
  /// "journald[:PATH]", "syslog[:PATH]", "syslog:HOST:PORT"; null if `target` is none of these.
  static std::unique_ptr<Datagrams> of(const std::string& target);
  ~Datagrams();
  Datagrams(const Datagrams&) = delete;
  Datagrams& operator=(const Datagrams&) = delete;

  /// Whether it wants lines of the format `json`, whose fields it sends.
  bool takes_fields() const noexcept { return journal_; }
  /// An error says why there is no socket; send() tries again.
  Result<void, std::string> connect();
  /// 0 once the line is sent; EMSGSIZE: it never can be; EAGAIN: descriptor() is to be waited for; else what is wrong.
  int send(std::string_view line);
  int descriptor() const noexcept { return socket_; }

 private:
  explicit Datagrams(bool journal, std::string where) : journal_(journal), where_(std::move(where)) {}
  int open_local();
  int open_remote();
  void close() noexcept;

  const bool journal_;
  const std::string where_;  ///< a path, or host and port
  int socket_ = -1;
  std::string why_;  ///< why a name cannot be looked up
  std::string datagram_;
};

/// Appends one message of syslog. `kind` is its MSGID.
void append_syslog(int severity, std::string_view kind, std::string_view line, std::string_view host, std::string& out);
/// Appends one entry of the journal's native protocol, from a line of the format `json`.
void append_journal(int severity, std::string_view line, std::string& out);

}  // namespace headgate::observe
