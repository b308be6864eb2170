#include "headgate/net/tls/server_tls.hpp"

#include "accepted_tls.hpp"
#include "server_tls_state.hpp"

#include "headgate/net/tls/certificate.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <algorithm>
#include <ctime>
#include <new>
#include <utility>

namespace headgate::net {
namespace {

/// The ciphers of TLS 1.2: only those with forward secrecy and AEAD. AES-128 comes first, because it is strong enough
/// and the fastest.
constexpr const char* kCiphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
constexpr const char* kSuites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
/// The groups for key exchange. OpenSSL has the first one, which resists quantum computers, since version 3.5.
constexpr const char* kBestGroups = "X25519MLKEM768:X25519:P-256:P-384";
constexpr const char* kUsualGroups = "X25519:P-256:P-384";

constexpr int kDeepestClientChain = 8;

ServerTls::Made impossible(std::string why) {
  ERR_clear_error();
  return ServerTls::Made(boost::system::in_place_error, std::move(why));
}

std::string joined_groups(const std::vector<std::string>& groups) {
  std::string out;
  for (const auto& each : groups) out += (out.empty() ? "" : ":") + each;
  return out;
}

/// Applies the settings that no configuration changes.
bool set_rules(SSL_CTX* context, TlsVersion oldest) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                   // a client that prefers ChaCha20 gets it, because the client probably has no
                                   // hardware for AES
                                   SSL_OP_PRIORITIZE_CHACHA);
  // The chain of the server's own certificate must not be built from the authorities for clients.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);  // sessions are stored in tickets
  SSL_CTX_set_timeout(context, kTicketSeconds);
  SSL_CTX_set_max_early_data(context, 0);  // early data could be replayed
  return SSL_CTX_set_num_tickets(context, 1) == 1 &&
         SSL_CTX_set_min_proto_version(context, oldest == TlsVersion::tls_1_3 ? TLS1_3_VERSION : TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_cipher_list(context, kCiphers) == 1 && SSL_CTX_set_ciphersuites(context, kSuites) == 1;
}

bool set_groups(SSL_CTX* context, const std::vector<std::string>& groups) {
  if (!groups.empty()) return SSL_CTX_set1_groups_list(context, joined_groups(groups).c_str()) == 1;
  return SSL_CTX_set1_groups_list(context, kBestGroups) == 1 || SSL_CTX_set1_groups_list(context, kUsualGroups) == 1;
}

/// Asks clients for certificates. A certificate that cannot be verified ends the handshake. The route decides whether a
/// certificate is required.
bool ask_clients(SSL_CTX* context, std::string_view authorities, ossl_lib_ctx_st* library) {
  const auto all = openssl::read_chain(authorities, library);
  if (all.empty()) return false;
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  for (const auto& each : all) {
    if (X509_STORE_add_cert(store, each.get()) != 1 || SSL_CTX_add_client_CA(context, each.get()) != 1) return false;
  }
  // Every certificate in the file is trusted, even an authority whose own issuer is missing.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_verify_depth(context, kDeepestClientChain);
  return true;
}

/// Called when OpenSSL needs the key of a ticket, to encrypt or decrypt it.
int ticket_key(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac,
               int sealing) try {
  auto& state = *static_cast<ServerTls::State*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  const auto second = static_cast<std::int64_t>(std::time(nullptr));
  const auto size = std::tuple_size_v<decltype(TicketKey::name)>;
  const TicketKey* const key = sealing == 1
                                   ? state.tickets.to_seal(second)
                                   : state.tickets.to_open(std::span<const unsigned char, 16>(name, size), second);
  // a result of 0, for a key that is unknown or too old, leads to a full handshake
  if (key == nullptr) return sealing == 1 ? -1 : 0;
  if (sealing == 1) {
    std::copy(key->name.begin(), key->name.end(), name);
    if (RAND_bytes_ex(state.library, iv, static_cast<std::size_t>(EVP_CIPHER_get_iv_length(state.ticket_cipher.get())),
                      0) != 1)
      return -1;
  }
  if (EVP_CipherInit_ex2(cipher, state.ticket_cipher.get(), key->cipher.data(), iv, sealing, nullptr) != 1) return -1;
  char digest[] = "SHA256";
  const std::array<OSSL_PARAM, 3> parameters{
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, const_cast<unsigned char*>(key->signature.data()),
                                        key->signature.size()),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0), OSSL_PARAM_construct_end()};
  return EVP_MAC_CTX_set_params(mac, parameters.data()) == 1 ? 1 : -1;
} catch (const std::bad_alloc&) {  // exceptions must not pass through OpenSSL
  return -1;
}

openssl::Stack rest_of(std::vector<openssl::Certificate>& chain) {
  if (chain.size() < 2) return nullptr;
  openssl::Stack out(sk_X509_new_null());
  for (std::size_t i = 1; out && i < chain.size(); ++i) {
    if (sk_X509_push(out.get(), chain[i].get()) == 0) return nullptr;
    static_cast<void>(chain[i].release());  // owned by the stack now
  }
  return out;
}

}  // namespace

TlsLibrary::TlsLibrary() : library_(OSSL_LIB_CTX_new()) {
  if (library_ == nullptr) throw std::bad_alloc();
}

TlsLibrary::~TlsLibrary() {
  OPENSSL_thread_stop_ex(library_);  // otherwise this thread, when it ends, would use its state in the library
  OSSL_LIB_CTX_free(library_);
}

ServerTls::ServerTls(std::unique_ptr<State> state) : state_(std::move(state)) {}
ServerTls::~ServerTls() = default;

bool ServerTls::asks_clients() const noexcept {
  return SSL_CTX_get_verify_mode(state_->context.get()) != SSL_VERIFY_NONE;
}

ServerTls::Made ServerTls::make(TlsLibrary& library, const ServerTlsOptions& options, const ServerTlsTexts& texts) {
  auto state = std::make_unique<State>(library.get(), options.ticket_secret);
  std::vector<std::vector<std::string>> names;
  for (std::size_t i = 0; i < texts.pairs.size(); ++i) {
    const auto& text = texts.pairs[i];
    auto facts = read_certificate(text.certificate, text.key);
    if (facts.has_error()) {
      const auto& files = options.certificates[i];
      const bool in_key = facts.error().at == CertificateFault::At::key;
      return impossible((in_key ? files.key : files.certificate) + ": " + facts.error().why);
    }
    names.push_back(std::move(facts->names));
    auto chain = openssl::read_chain(text.certificate, library.get());
    auto key = openssl::read_key(text.key, library.get());
    auto rest = rest_of(chain);
    state->pairs.push_back({std::move(chain.front()), std::move(key), std::move(rest), text.staple});
  }
  for (const auto& each : options.protocols) (state->protocols += static_cast<char>(each.size())) += each;
  state->names = ServerNames(names);
  state->ticket_cipher.reset(EVP_CIPHER_fetch(library.get(), "AES-256-CBC", nullptr));
  state->digest.reset(EVP_MD_fetch(library.get(), "SHA256", nullptr));
  state->context.reset(SSL_CTX_new_ex(library.get(), nullptr, TLS_server_method()));
  SSL_CTX* const context = state->context.get();
  if (context == nullptr || !state->ticket_cipher || !state->digest || !set_rules(context, options.oldest))
    return impossible("OpenSSL cannot make a context");
  if (!set_groups(context, options.groups))
    return impossible("OpenSSL does not know these groups: " + joined_groups(options.groups));
  if (!options.client_ca.empty()) {
    if (!ask_clients(context, texts.client_ca, library.get()))
      return impossible(options.client_ca + ": holds no certificate in PEM");
    EVP_Digest(texts.client_ca.data(), texts.client_ca.size(), state->clients.data(), nullptr, state->digest.get(),
               nullptr);
  }
  SSL_CTX_set_app_data(context, state.get());
  SSL_CTX_set_tlsext_ticket_key_evp_cb(context, ticket_key);
  AcceptedTls::set_callbacks(context);
  ERR_clear_error();
  return ServerTlsPtr(new ServerTls(std::move(state)));
}

}  // namespace headgate::net
