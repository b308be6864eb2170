#pragma once
// The TLS session of one server, kept from one connection to the next. Used by those who connect to it often.

#include <memory>

struct ssl_session_st;

namespace headgate::net {

/// The last session with one server. The next connection offers it; if the server agrees, the handshake is shorter and
/// neither side shows its certificate again (RFC 8446 section 2.2). So one object belongs to one server, one context
/// and one name, and ends with them. A failed handshake forgets the session, so that the next one is a full one. One
/// thread.
class TlsSession {
 public:
  TlsSession();
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  /// Takes over one reference to `session`.
  void keep(ssl_session_st* session) noexcept;
  /// The session to offer; null if there is none. One whose certificate has expired meanwhile is not offered: a full
  /// handshake would refuse it.
  ssl_session_st* offer() noexcept;
  void forget() noexcept;

  /// Notes how a handshake ended.
  void shook_hands(bool resumed) noexcept { resumed_ = resumed; }
  /// Whether the last handshake resumed a session.
  bool resumed() const noexcept { return resumed_; }

 private:
  struct Free {
    void operator()(ssl_session_st* session) const noexcept;
  };
  std::unique_ptr<ssl_session_st, Free> last_;
  bool resumed_ = false;
};

}  // namespace headgate::net
