#pragma once
// TLS without I/O: turns plain bytes into encrypted bytes and back. The owner of the socket reads and writes the bytes.
// So many records need only one system call, and bytes that were read before TLS began can be passed in.

#include "accepted_tls.hpp"

#include "headgate/net/tls/tls_session.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct ssl_st;
struct ssl_session_st;
struct bio_st;

namespace headgate::net {

class TlsContext;

/// A side of a TLS connection. One thread.
class TlsChannel {
 public:
  enum class Step { more, done, failed };

  /// `host` is the name or address that the client connected to. It is sent as SNI and checked in the certificate,
  /// unless the options have a server_name. `session` stores the session to resume, and gets new ones; if it is null,
  /// every handshake is a full one.
  TlsChannel(const TlsContext& context, const std::string& host, std::shared_ptr<TlsSession> session);
  /// Creates the accepting side. `server` must outlive this object.
  explicit TlsChannel(const ServerTls& server);
  TlsChannel(const TlsChannel&) = delete;
  TlsChannel& operator=(const TlsChannel&) = delete;
  ~TlsChannel();

  /// Passes in bytes from the peer, which must stay valid until keep(). All earlier bytes must have been used.
  void feed(std::string_view received) noexcept { unread_ = received; }
  /// Copies the bytes that are not used yet.
  void keep();

  Step handshake();  ///< call it first, and after each feed() until it is done
  /// Decrypts into `into`. Returns `done` with `got` bytes of plain text; `more` if feed() must be called first; or
  /// `failed`, for which ended() and reason() give the cause.
  Step open(std::span<char> into, std::size_t& got);
  /// Does the same as open() for one byte, which stays unread.
  Step look();
  /// Returns whether open() may succeed before the next feed().
  bool holds() const noexcept;
  /// Encrypts `plain`. Returns false if the connection has failed.
  bool seal(std::string_view plain);
  /// Adds close_notify to the bytes to send, if the handshake was done.
  void send_end();

  /// Returns the bytes to send. The owner removes sent bytes from the front.
  std::string& to_send() noexcept { return to_send_; }

  bool ended() const noexcept { return ended_; }  ///< returns whether it failed because the peer sent close_notify
  bool distrusted() const noexcept { return distrusted_; }  ///< returns whether the peer's certificate was not trusted
  const std::string& reason() const noexcept { return reason_; }  ///< returns the reason of the failure, for a log line
  ssl_st* get() const noexcept { return ssl_.get(); }
  std::string_view protocol() const noexcept;  ///< Returns the protocol agreed on with ALPN; empty if none.

  /// Called by OpenSSL with each new session of a client. Returns 1 if the session was taken over.
  static int keep_session(ssl_st* ssl, ssl_session_st* session) noexcept;

 private:
  friend struct ChannelBio;
  explicit TlsChannel(ssl_ctx_st* context);
  Step fail(int result);
  /// Converts the result of an OpenSSL call that has read something. Returns `failed` if the client has made a
  /// forbidden action meanwhile.
  Step after_reading(int result);

  struct Free {
    void operator()(ssl_st* ssl) const noexcept;
  };
  std::unique_ptr<ssl_st, Free> ssl_;
  std::string_view unread_;
  std::string kept_;  // the bytes that unread_ refers to after keep()
  std::string to_send_;
  std::string reason_;
  std::shared_ptr<TlsSession> session_;  // null if sessions are not stored
  AcceptedTls accepted_;                 // for the accepting side
  bool secured_ = false;
  bool ended_ = false;
  bool distrusted_ = false;
};

}  // namespace headgate::net
