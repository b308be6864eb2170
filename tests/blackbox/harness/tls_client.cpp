#include "blackbox/harness/tls_client.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <csignal>
#include <mutex>

namespace headgate::test {
namespace {

/// A test may send on one thread while it reads on another, which OpenSSL allows on no connection. No call waits.
std::mutex one_at_a_time;

}  // namespace

std::string tls_file(const std::string& name) {
  return std::string(HEADGATE_SOURCE_DIR) + "/tests/unit/config/beside/tls/" + name;
}

TlsClient::TlsClient(int fd, const TlsOffer& offer)
    : context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free), ssl_(nullptr, SSL_free) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
  SSL_CTX_load_verify_file(context_.get(), tls_file("ca.pem").c_str());
  SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (offer.version != 0) {
    SSL_CTX_set_security_level(context_.get(), 0);
    SSL_CTX_set_min_proto_version(context_.get(), offer.version);
    SSL_CTX_set_max_proto_version(context_.get(), offer.version);
  }
  if (!offer.certificate.empty()) {
    SSL_CTX_use_certificate_chain_file(context_.get(), tls_file(offer.certificate).c_str());
    SSL_CTX_use_PrivateKey_file(context_.get(), tls_file(offer.key).c_str(), SSL_FILETYPE_PEM);
  }
  ssl_.reset(SSL_new(context_.get()), SSL_free);
  if (!offer.name.empty()) SSL_set_tlsext_host_name(ssl_.get(), offer.name.c_str());
  if (!offer.protocols.empty())
    SSL_set_alpn_protos(ssl_.get(), reinterpret_cast<const unsigned char*>(offer.protocols.data()),
                        static_cast<unsigned>(offer.protocols.size()));
  if (offer.session) SSL_set_session(ssl_.get(), offer.session.get());
  SSL_set_fd(ssl_.get(), fd);
  SSL_set_connect_state(ssl_.get());
}

TlsClient::Step TlsClient::after(int result) {
  if (result == 1) return Step::done;
  const int error = SSL_get_error(ssl_.get(), result);
  if (error == SSL_ERROR_WANT_READ) return Step::wants_read;
  if (error == SSL_ERROR_WANT_WRITE) return Step::wants_write;
  if (error == SSL_ERROR_ZERO_RETURN) return Step::ended;
  const char* reason = ERR_reason_error_string(ERR_peek_error());
  why_ = reason != nullptr ? reason : "the connection was broken";
  return Step::failed;
}

TlsClient::Step TlsClient::shake_hands() {
  const std::lock_guard lock(one_at_a_time);
  ERR_clear_error();
  return after(SSL_do_handshake(ssl_.get()));
}

TlsClient::Step TlsClient::write(std::string_view bytes, std::size_t& written) {
  const std::lock_guard lock(one_at_a_time);
  ERR_clear_error();
  return after(SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written));
}

TlsClient::Step TlsClient::read(char* into, std::size_t most, std::size_t& got) {
  const std::lock_guard lock(one_at_a_time);
  ERR_clear_error();
  return after(SSL_read_ex(ssl_.get(), into, most, &got));
}

void TlsClient::send_end() {
  const std::lock_guard lock(one_at_a_time);
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
}

bool TlsClient::resumed() const { return SSL_session_reused(ssl_.get()) == 1; }

std::string TlsClient::version() const { return SSL_get_version(ssl_.get()); }

std::string TlsClient::server() const {
  std::array<char, 64> text{};
  X509* const certificate = SSL_get0_peer_certificate(ssl_.get());
  if (certificate == nullptr) return {};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, text.data(), text.size());
  return text.data();
}

std::shared_ptr<ssl_session_st> TlsClient::session() const {
  SSL_SESSION* const session = SSL_get1_session(ssl_.get());
  SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);  // else OpenSSL does not resume it
  return {session, SSL_SESSION_free};
}

}  // namespace headgate::test
