#include "tls_client.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <stdexcept>

namespace headgate::bench {

namespace {

/// What the load asks for; the certificate's name.
constexpr const char* kServerName = "localhost";

}  // namespace

TlsClient::TlsClient() : context_(SSL_CTX_new(TLS_client_method())) {
  if (context_ == nullptr || SSL_CTX_set_min_proto_version(context_, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_ciphersuites(context_, "TLS_AES_128_GCM_SHA256") != 1 ||
      SSL_CTX_set1_groups_list(context_, "X25519") != 1) {
    SSL_CTX_free(context_);
    throw std::runtime_error("OpenSSL cannot speak TLS 1.3");
  }
  SSL_CTX_set_mode(context_, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context_, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_set_app_data(context_, this);
  SSL_CTX_sess_set_new_cb(context_, keep);
}

TlsClient::~TlsClient() {
  SSL_SESSION_free(newest_);
  SSL_CTX_free(context_);
}

int TlsClient::keep(ssl_st* ssl, ssl_session_st* session) {
  auto& self = *static_cast<TlsClient*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  SSL_SESSION_free(self.newest_);
  self.newest_ = session;
  return 1;  // it is ours now
}

std::unique_ptr<TlsConnection> TlsClient::begin(int fd, bool resume, Protocol protocol) {
  auto* const ssl = SSL_new(context_);
  if (ssl == nullptr) throw std::runtime_error("no memory for TLS");
  SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_tlsext_host_name(ssl, kServerName);
  SSL_set_connect_state(ssl);
  constexpr unsigned char kHttp2[] = {2, 'h', '2'};
  if (protocol == Protocol::http2) SSL_set_alpn_protos(ssl, kHttp2, sizeof kHttp2);
  if (resume && newest_ != nullptr) {
    // A copy, because OpenSSL marks a session of TLS 1.3 as used up, and many connections begin before the next ticket.
    auto* const copy = SSL_SESSION_dup(newest_);
    SSL_set_session(ssl, copy);
    SSL_SESSION_free(copy);
  }
  return std::make_unique<TlsConnection>(ssl, fd);
}

TlsConnection::~TlsConnection() {
  SSL_set_shutdown(ssl_, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);  // else its session counts as broken
  SSL_free(ssl_);
}

bool TlsConnection::handshake() {
  const timeval wait{.tv_sec = 10, .tv_usec = 0};
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  std::array<char, 8192> bytes;
  for (;;) {
    ERR_clear_error();
    const int result = SSL_do_handshake(ssl_);
    if (!flush()) return false;
    if (result == 1) return true;
    if (SSL_get_error(ssl_, result) != SSL_ERROR_WANT_READ) return false;
    const auto got = recv(fd_, bytes.data(), bytes.size(), 0);
    if (got <= 0) return false;
    received({bytes.data(), static_cast<std::size_t>(got)});
  }
}

bool TlsConnection::resumed() const noexcept { return SSL_session_reused(ssl_) == 1; }

bool TlsConnection::send(std::string_view bytes) {
  ERR_clear_error();
  return SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())) == static_cast<int>(bytes.size()) && flush();
}

void TlsConnection::received(std::string_view bytes) {
  BIO_write(SSL_get_rbio(ssl_), bytes.data(), static_cast<int>(bytes.size()));
}

int TlsConnection::open(std::span<char> out) {
  ERR_clear_error();
  const int got = SSL_read(ssl_, out.data(), static_cast<int>(out.size()));
  if (got > 0) return got;
  return SSL_get_error(ssl_, got) == SSL_ERROR_WANT_READ && flush() ? 0 : -1;
}

bool TlsConnection::flush() {
  char* bytes = nullptr;
  auto* const sealed = SSL_get_wbio(ssl_);
  const auto size = BIO_get_mem_data(sealed, &bytes);
  if (size <= 0) return true;
  // Far below what a fresh socket buffer takes.
  const auto sent = ::send(fd_, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  BIO_reset(sealed);
  return sent == size;
}

}  // namespace headgate::bench
