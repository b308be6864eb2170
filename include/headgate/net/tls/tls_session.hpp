#pragma once
// The TLS session of one server, kept from one connection to the next. Used by upstream.

#include <memory>

struct ssl_session_st;

namespace headgate::net {

/// The last session with one server. The next connection offers it; if the server accepts it, the handshake is shorter
/// and neither side sends its certificate again (RFC 8446 section 2.2). So an object belongs to one server, one context
/// and one name. A failed handshake drops the session, so that the next handshake is a full one. One thread.
class TlsSession {
 public:
  TlsSession();
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  /// Takes over one reference to `session`.
  void keep(ssl_session_st* session) noexcept;
  /// Returns the session to offer, or null if there is none. A session whose certificate has expired is not offered,
  /// because a full handshake would refuse that certificate.
  ssl_session_st* offer() noexcept;
  void forget() noexcept;

  /// Records the result of a handshake.
  void shook_hands(bool resumed) noexcept { resumed_ = resumed; }
  /// Returns whether the last handshake resumed a session.
  bool resumed() const noexcept { return resumed_; }

 private:
  struct Free {
    void operator()(ssl_session_st* session) const noexcept;
  };
  std::unique_ptr<ssl_session_st, Free> last_;
  bool resumed_ = false;
};

}  // namespace headgate::net
