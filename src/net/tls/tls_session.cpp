#include "headgate/net/tls/tls_session.hpp"

#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace headgate::net {

TlsSession::TlsSession() = default;
TlsSession::~TlsSession() = default;

void TlsSession::Free::operator()(ssl_session_st* session) const noexcept { SSL_SESSION_free(session); }

void TlsSession::keep(ssl_session_st* session) noexcept { last_.reset(session); }

ssl_session_st* TlsSession::offer() noexcept {
  if (!last_) return nullptr;
  const X509* const peer = SSL_SESSION_get0_peer(last_.get());
  const bool expired = peer == nullptr || X509_cmp_current_time(X509_get0_notAfter(peer)) <= 0;
  if (expired || SSL_SESSION_is_resumable(last_.get()) != 1) forget();
  return last_.get();
}

void TlsSession::forget() noexcept { last_.reset(); }

}  // namespace headgate::net
