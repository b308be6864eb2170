#include "accepted_tls.hpp"

#include "peer_certificate.hpp"
#include "server_tls_state.hpp"

#include <openssl/err.h>

#include <array>
#include <ctime>
#include <iterator>
#include <new>
#include <utility>

namespace headgate::net {
namespace {

/// Maximum number of key updates that a client may ask for per second, because each costs the gateway more than the
/// client.
constexpr std::uint32_t kMaxUpdates = 100;

AcceptedTls& of(const SSL* ssl) { return *static_cast<AcceptedTls*>(SSL_get_app_data(ssl)); }

/// Returns the server_name of the first message (RFC 6066 section 3); "" if it has none or a malformed one, which
/// OpenSSL refuses later.
std::string_view asked_name(SSL* ssl) {
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;
  if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &bytes, &size) != 1) return {};
  constexpr std::size_t kHead = 5;  // length of the list, type of the name, length of the name
  if (size < kHead || bytes[2] != TLSEXT_NAMETYPE_host_name) return {};
  const auto length = static_cast<std::size_t>(bytes[3] << 8 | bytes[4]);
  if (length + kHead > size) return {};
  return {reinterpret_cast<const char*>(bytes) + kHead, length};
}

/// Binds sessions to the server name and the client authorities for which they were made. Otherwise a ticket of a
/// server that asks for no client certificates could be used to resume at a server that does (CVE-2025-23419).
bool bind_tickets(SSL* ssl, const ServerTls::State& state, const std::string& name) {
  std::string text = "headgate tls 1 ";
  text.append(reinterpret_cast<const char*>(state.clients.data()), state.clients.size());
  text += name;
  std::array<unsigned char, 32> digest{};
  static_assert(digest.size() <= SSL_MAX_SID_CTX_LENGTH);
  return EVP_Digest(text.data(), text.size(), digest.data(), nullptr, state.digest.get(), nullptr) == 1 &&
         SSL_set_session_id_context(ssl, digest.data(), digest.size()) == 1;
}

bool expired(const X509* certificate) { return X509_cmp_current_time(X509_get0_notAfter(certificate)) <= 0; }

}  // namespace

void AcceptedTls::attach(ssl_st* ssl, const ServerTls& server) {
  shared = &server;
  SSL_set_app_data(ssl, this);
}

void AcceptedTls::set_callbacks(ssl_ctx_st* context) {
  SSL_CTX_set_client_hello_cb(context, greeted, nullptr);
  SSL_CTX_set_cert_cb(context, choose_certificate, nullptr);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  SSL_CTX_set_tlsext_status_cb(context, staple);
  SSL_CTX_set_info_callback(context, happened);
  SSL_CTX_set_tlsext_servername_callback(
      context, +[](SSL*, int*, void*) { return SSL_TLSEXT_ERR_OK; });  // accepts every name
}

int AcceptedTls::greeted(ssl_st* ssl, int* alert, void*) try {
  auto& handshake = of(ssl);
  const auto& state = handshake.shared->state();
  const auto name = normal_name(asked_name(ssl));
  handshake.certificates = &state.names.find(name);
  if (bind_tickets(ssl, state, name)) return SSL_CLIENT_HELLO_SUCCESS;
  *alert = SSL_AD_INTERNAL_ERROR;
  return SSL_CLIENT_HELLO_ERROR;
} catch (const std::bad_alloc&) {  // exceptions must not pass through OpenSSL
  *alert = SSL_AD_INTERNAL_ERROR;
  return SSL_CLIENT_HELLO_ERROR;
}

/// Sets the certificates for the name that the client asked for. Not called when a session resumes, because that needs
/// no certificate.
int AcceptedTls::choose_certificate(ssl_st* ssl, void*) {
  const auto& handshake = of(ssl);
  const auto& pairs = handshake.shared->state().pairs;
  // OpenSSL stores one certificate for each kind of key, and the last one set replaces earlier ones. So the first
  // certificate of a kind is set last.
  const auto& numbers = *handshake.certificates;
  for (auto at = numbers.rbegin(); at != numbers.rend(); ++at) {
    const auto& pair = pairs[*at];
    if (SSL_use_cert_and_key(ssl, pair.certificate.get(), pair.key.get(), pair.chain.get(), 1) != 1) return 0;
  }
  return 1;
}

/// Gives OpenSSL the OCSP response for the chosen certificate. Checks its time, because a response can expire between
/// two checks of the files.
int AcceptedTls::staple(ssl_st* ssl, void*) {
  auto& handshake = of(ssl);
  const X509* const chosen = SSL_get_certificate(ssl);
  for (const auto index : *handshake.certificates) {
    const auto& pair = handshake.shared->state().pairs[index];
    if (pair.certificate.get() != chosen) continue;
    if (!pair.staple.fresh(now())) return SSL_TLSEXT_ERR_NOACK;
    const auto& response = pair.staple.response;
    void* const copy = OPENSSL_memdup(response.data(), response.size());  // freed by OpenSSL
    if (copy == nullptr) return SSL_TLSEXT_ERR_NOACK;
    SSL_set_tlsext_status_ocsp_resp(ssl, copy, static_cast<long>(response.size()));
    handshake.stapled = true;
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_NOACK;
}

void AcceptedTls::drop_staple(ssl_st* ssl) {
  if (std::exchange(stapled, false)) SSL_set_tlsext_status_ocsp_resp(ssl, nullptr, 0);
}

/// A client that offers only unsupported protocols is refused (RFC 7301 section 3.2), as in nginx, because its next
/// bytes would be read as another protocol than it speaks (ALPACA). A client without the extension uses HTTP/1.1.
int AcceptedTls::choose_protocol(ssl_st* ssl, const unsigned char** out, unsigned char* out_size,
                                 const unsigned char* in, unsigned in_size, void*) {
  const auto& spoken = of(ssl).shared->state().protocols;
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, reinterpret_cast<const unsigned char*>(spoken.data()),
                            static_cast<unsigned>(spoken.size()), in, in_size) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

/// Called for each step of the handshake and for later TLS messages, but not for data.
void AcceptedTls::happened(const ssl_st* ssl, int where, int what) {
  auto& handshake = of(ssl);
  if (!handshake.secured) return;
  if (where == SSL_CB_WRITE_ALERT && (what & 0xff) == SSL_AD_NO_RENEGOTIATION)
    handshake.offence = "the client asked for another handshake";
  if (where != SSL_CB_ACCEPT_LOOP || SSL_get_state(ssl) != TLS_ST_SR_KEY_UPDATE) return;
  const auto now = static_cast<std::uint32_t>(std::time(nullptr));
  if (std::exchange(handshake.second, now) != now) handshake.updates = 0;
  if (++handshake.updates > kMaxUpdates) handshake.offence = "the client updates its keys too often";
}

Secured AcceptedTls::result(ssl_st* ssl) {
  Secured out;
  out.version = SSL_version(ssl) == TLS1_3_VERSION ? "1.3" : "1.2";
  out.resumed = SSL_session_reused(ssl) == 1;
  const openssl::Certificate peer(SSL_get1_peer_certificate(ssl));
  // In a resumed session, the client's certificate is not verified again, but it may have expired meanwhile.
  if (peer && SSL_get_verify_result(ssl) == X509_V_OK && !expired(peer.get()))
    out.certificate = std::make_unique<const PeerCertificate>(read_peer(peer.get()));
  ERR_clear_error();
  const unsigned char* protocol = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl, &protocol, &size);
  out.http2 = size == 2 && protocol[0] == 'h' && protocol[1] == '2';
  if (!out.http2) return out;
  if (const char* const name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name)) out.server_name = normal_name(name);
  return out;
}

bool Secured::serves(std::string_view host) const noexcept {
  if (!server || server_name.empty() || host == server_name) return true;
  const auto& names = server->state().names;
  return names.find(host) == names.find(server_name);
}

}  // namespace headgate::net
