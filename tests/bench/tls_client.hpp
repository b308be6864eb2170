#pragma once
// TLS for the load: what is sent is sealed, what is received is opened. With OpenSSL, and nothing of the gateway's own.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

struct ssl_ctx_st;
struct ssl_session_st;
struct ssl_st;

namespace headgate::bench {

/// One connection to a proxy. `fd` is the connected socket, which is not owned.
class TlsConnection {
 public:
  /// Of a TlsClient only.
  TlsConnection(ssl_st* ssl, int fd) noexcept : ssl_(ssl), fd_(fd) {}
  ~TlsConnection();
  TlsConnection(const TlsConnection&) = delete;
  TlsConnection& operator=(const TlsConnection&) = delete;

  /// Waits for the peer. False where it does not do its part within ten seconds.
  bool handshake();
  /// Whether the session is an earlier one.
  bool resumed() const noexcept;
  /// One send(). False where not everything was taken.
  bool send(std::string_view bytes);
  /// What recv() returned.
  void received(std::string_view bytes);
  /// Opens more of what was received: so many bytes; 0 where nothing is left, below 0 where the peer ended or broke it.
  int open(std::span<char> out);

 private:
  bool flush();

  ssl_st* ssl_;
  int fd_;
};

/// Callers of one proxy. Each speaks TLS 1.3 with TLS_AES_128_GCM_SHA256 and X25519, so that all proxies do the same
/// work; OpenSSL's own client would let each choose. One thread only; stays where it is.
class TlsClient {
 public:
  /// What the callers ask for (ALPN).
  enum class Protocol { http1, http2 };

  /// Throws std::runtime_error where OpenSSL cannot.
  TlsClient();
  ~TlsClient();
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  /// A connection before its handshake. With `resume` it offers the newest ticket, if there is one.
  std::unique_ptr<TlsConnection> begin(int fd, bool resume, Protocol protocol = Protocol::http1);

 private:
  static int keep(ssl_st* ssl, ssl_session_st* session);

  ssl_ctx_st* context_;
  ssl_session_st* newest_ = nullptr;
};

}  // namespace headgate::bench
