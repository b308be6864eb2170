#pragma once
// Log lines as datagrams, to syslog (RFC 5424) and to the journal of systemd. Used only by the thread of an output.

#include "headgate/core/result.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace headgate::observe {

/// A socket for datagrams. Each line begins with its marks; see Output. Never blocks, except to look up the name of a
/// host.
class Datagrams {
 public:
  /// Returns the target for "journald[:PATH]", "syslog[:PATH]" or "syslog:HOST:PORT"; null if `target` is none of
  /// these.
  static std::unique_ptr<Datagrams> of(const std::string& target);
  ~Datagrams();
  Datagrams(const Datagrams&) = delete;
  Datagrams& operator=(const Datagrams&) = delete;

  /// Returns whether lines must have the format `json`, because their fields are sent.
  bool takes_fields() const noexcept { return journal_; }
  /// Opens the socket. If that fails, the error says why, and send() tries again.
  Result<void, std::string> connect();
  /// Sends a line and returns 0. Otherwise returns EMSGSIZE if the line is too long to be sent, EAGAIN if the caller
  /// must wait for descriptor(), or another errno.
  int send(std::string_view line);
  int descriptor() const noexcept { return socket_; }

 private:
  explicit Datagrams(bool journal, std::string where) : journal_(journal), where_(std::move(where)) {}
  int open_local();
  int open_remote();
  void close() noexcept;

  const bool journal_;
  const std::string where_;  ///< a path, or a host and port
  int socket_ = -1;
  std::string why_;  ///< why the name of the host could not be resolved
  std::string datagram_;
};

/// Appends a syslog message. `kind` is its MSGID.
void append_syslog(int severity, std::string_view kind, std::string_view line, std::string_view host, std::string& out);
/// Appends an entry of the journal's native protocol, made from a line of the format `json`.
void append_journal(int severity, std::string_view line, std::string& out);

}  // namespace headgate::observe
