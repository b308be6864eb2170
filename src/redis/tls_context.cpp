#include "tls_context.hpp"

#include "headgate/redis/tls.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace headgate::redis {
namespace {

/// Why the file cannot be read, or nothing: OpenSSL's own words for it do not name the file.
std::string unreadable(const std::string& what, const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file != nullptr) {
    std::fclose(file);
    return {};
  }
  return "cannot read the " + what + " \"" + path + "\": " + std::generic_category().message(errno);
}

std::string load_authorities(SSL_CTX* context, const std::string& path) {
  if (path.empty())
    return SSL_CTX_set_default_verify_paths(context) == 1 ? std::string() : "the system has no authorities to trust";
  if (auto reason = unreadable("CA file", path); !reason.empty()) return reason;
  if (SSL_CTX_load_verify_file(context, path.c_str()) == 1) return {};
  return "the CA file \"" + path + "\" holds no certificate in PEM";
}

std::string load_own(SSL_CTX* context, const TlsOptions& options) {
  if (options.certificate.empty() && options.key.empty()) return {};
  if (options.key.empty()) return "a certificate is given, but no key that belongs to it";
  if (options.certificate.empty()) return "a key is given, but no certificate that it belongs to";
  if (auto reason = unreadable("certificate", options.certificate); !reason.empty()) return reason;
  if (auto reason = unreadable("key", options.key); !reason.empty()) return reason;
  if (SSL_CTX_use_certificate_chain_file(context, options.certificate.c_str()) != 1)
    return "the file \"" + options.certificate + "\" holds no certificate in PEM";
  if (SSL_CTX_use_PrivateKey_file(context, options.key.c_str(), SSL_FILETYPE_PEM) == 1) return {};
  const int why = ERR_GET_REASON(ERR_peek_last_error());
  if (why == X509_R_KEY_VALUES_MISMATCH || why == X509_R_KEY_TYPE_MISMATCH)
    return "the key \"" + options.key + "\" does not belong to the certificate \"" + options.certificate + "\"";
  return "the file \"" + options.key + "\" holds no key in PEM that can be read without a passphrase";
}

}  // namespace

TlsContext::TlsContext(const TlsOptions& options, std::shared_ptr<ssl_ctx_st> context)
    : options_(options), context_(std::move(context)) {}

Result<std::shared_ptr<const TlsContext>, std::string> TlsContext::make(const TlsOptions& options) {
  using Made = Result<std::shared_ptr<const TlsContext>, std::string>;
  const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (!context) return Made(boost::system::in_place_error, "OpenSSL cannot make a context");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // A server that could ask for a new handshake could hold up a write for it.
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(context.get(), options.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  // OpenSSL would ask the terminal for a passphrase.
  SSL_CTX_set_default_passwd_cb(context.get(), [](char*, int, int, void*) { return 0; });
  std::string reason = load_authorities(context.get(), options.ca);
  if (reason.empty()) reason = load_own(context.get(), options);
  ERR_clear_error();
  if (!reason.empty()) return Made(boost::system::in_place_error, std::move(reason));
  return Made(boost::system::in_place_value, std::shared_ptr<const TlsContext>(new TlsContext(options, context)));
}

Result<void, std::string> check_tls(const TlsOptions& options) {
  if (auto made = TlsContext::make(options); made.has_error())
    return Result<void, std::string>(boost::system::in_place_error, made.error());
  return {};
}

}  // namespace headgate::redis
