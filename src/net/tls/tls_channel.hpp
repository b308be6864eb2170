#pragma once
// TLS without I/O: turns plain bytes into encrypted bytes and back. The owner of the socket moves them, so that many
// records need one system call and bytes that were read before TLS can be fed in.

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

/// One side of one connection. Used by one thread.
class TlsChannel {
 public:
  enum class Step { more, done, failed };

  /// `host` is what a client connected to. It is sent as SNI and checked in the certificate, unless the options have a
  /// server_name. `session`: the session to offer and to keep; null: every handshake is a full one.
  TlsChannel(const TlsContext& context, const std::string& host, std::shared_ptr<TlsSession> session);
  /// The side that accepts. `server` outlives it.
  explicit TlsChannel(const ServerTls& server);
  TlsChannel(const TlsChannel&) = delete;
  TlsChannel& operator=(const TlsChannel&) = delete;
  ~TlsChannel();

  /// Takes bytes from the peer. All earlier bytes must have been used. They must stay valid until keep().
  void feed(std::string_view received) noexcept { unread_ = received; }
  /// Copies the bytes that are not used yet.
  void keep();

  Step handshake();  ///< call it first, and after each feed() until it is done
  /// Decrypts. done: `got` bytes of plain text are in `into`. more: feed() first. failed: see ended() and reason().
  Step open(std::span<char> into, std::size_t& got);
  /// Like open() of one byte, which is not used up.
  Step look();
  /// Whether open() may succeed before the next feed().
  bool holds() const noexcept;
  /// Encrypts `plain`. False if the connection has failed.
  bool seal(std::string_view plain);
  /// Adds close_notify to the bytes to send, if the handshake was done.
  void send_end();

  /// The bytes to send. The owner removes from the front what was sent.
  std::string& to_send() noexcept { return to_send_; }

  bool ended() const noexcept { return ended_; }            ///< whether it failed because the peer sent close_notify
  bool distrusted() const noexcept { return distrusted_; }  ///< whether the peer's certificate was not trusted
  const std::string& reason() const noexcept { return reason_; }  ///< why it failed, for a log line
  ssl_st* get() const noexcept { return ssl_.get(); }
  std::string_view protocol() const noexcept;  ///< agreed on by ALPN; else empty

  /// What OpenSSL calls with each new session of a client. Returns 1 if the session was taken over.
  static int keep_session(ssl_st* ssl, ssl_session_st* session) noexcept;

 private:
  friend struct ChannelBio;
  explicit TlsChannel(ssl_ctx_st* context);
  Step fail(int result);
  /// The result of an OpenSSL call that read something. Failed if the client did meanwhile what it may not do.
  Step after_reading(int result);

  struct Free {
    void operator()(ssl_st* ssl) const noexcept;
  };
  std::unique_ptr<ssl_st, Free> ssl_;
  std::string_view unread_;
  std::string kept_;  // what unread_ points into after keep()
  std::string to_send_;
  std::string reason_;
  std::shared_ptr<TlsSession> session_;  // null: none is kept
  AcceptedTls accepted_;                 // of the side that accepts
  bool secured_ = false;
  bool ended_ = false;
  bool distrusted_ = false;
};

}  // namespace headgate::net
