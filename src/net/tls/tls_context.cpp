#include "headgate/net/tls/tls_context.hpp"

#include "tls_channel.hpp"

#include "headgate/core/read_file.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include <array>
#include <cstdlib>
#include <utility>

namespace headgate::net {
namespace {

/// Maximum size of a file of authorities, in bytes; those of a system have less than a megabyte.
constexpr std::size_t kLargestPem = 16UL * 1024 * 1024;

/// Returns the reason why the file cannot be read, or "". This is checked without OpenSSL, whose messages do not name
/// the file, and which would block on a pipe.
std::string unreadable(const std::string& what, const std::string& path) {
  const auto why = why_unreadable(path, kLargestPem);
  return why.empty() ? why : "cannot read the " + what + " \"" + path + "\": " + why;
}

std::string load_authorities(SSL_CTX* context, const std::string& path) {
  if (path.empty())
    return SSL_CTX_set_default_verify_paths(context) == 1 ? std::string()
                                                          : "the authorities that the system trusts cannot be loaded";
  if (auto reason = unreadable("CA file", path); !reason.empty()) return reason;
  // Every certificate in the file is trusted, even an authority whose own issuer is missing.
  X509_STORE_set_flags(SSL_CTX_get_cert_store(context), X509_V_FLAG_PARTIAL_CHAIN);
  if (SSL_CTX_load_verify_file(context, path.c_str()) == 1) return {};
  return "the CA file \"" + path + "\" holds no certificate in PEM";
}

std::string load_own(SSL_CTX* context, const TlsOptions& options) {
  if (options.certificate.empty() && options.key.empty()) return {};
  if (options.key.empty()) return "a certificate is given without its key";
  if (options.certificate.empty()) return "a key is given without its certificate";
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

/// Creates a context with the settings of both sides.
std::shared_ptr<SSL_CTX> make(const SSL_METHOD* method) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(method), SSL_CTX_free);
  if (!context) return context;
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // Renegotiation is off, because the peer could block a write with it.
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  // By default OpenSSL asks for a passphrase on the terminal.
  SSL_CTX_set_default_passwd_cb(context.get(), [](char*, int, int, void*) { return 0; });
  return context;
}

TlsContext::Made failed(std::string why) {
  ERR_clear_error();
  return TlsContext::Made(boost::system::in_place_error, std::move(why));
}

/// A digest of files. No copies of keys stay in memory.
class FilesDigest {
 public:
  FilesDigest() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
  }
  void add(const std::string& text) { EVP_DigestUpdate(context_.get(), text.data(), text.size()); }
  /// Adds the content of a file; nothing if the file cannot be read.
  void add_file(const std::string& path) {
    std::size_t size = 0;
    auto file = InputFile::open(path, Pipes::refused);
    std::array<char, 16UL * 1024> block;
    while (file.has_value() && size <= kLargestPem) {
      const auto got = file->read(block.data(), block.size());
      if (got.has_error() || *got == 0) break;
      EVP_DigestUpdate(context_.get(), block.data(), *got);
      size += *got;
    }
    OPENSSL_cleanse(block.data(), block.size());
    add('\n' + std::to_string(size) + '\n');
  }
  /// Adds the time of the last change.
  void add_time(const char* path) {
    struct stat about {};
    if (::stat(path, &about) != 0) return add("none\n");
    add(std::to_string(about.st_mtim.tv_sec) + '.' + std::to_string(about.st_mtim.tv_nsec) + '\n');
  }
  std::string end() {
    std::string out(EVP_MAX_MD_SIZE, '\0');
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(out.data()), &size);
    out.resize(size);
    return out;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

/// Returns the digest of the files' content. Compute the digest before the files are used: if a file changes in
/// between, the next check finds the change.
std::string digest_of(const TlsOptions& options) {
  const auto chosen = [](const char* variable, const char* otherwise) {
    const char* const named = std::getenv(variable);
    return named != nullptr ? named : otherwise;
  };
  FilesDigest digest;
  for (const auto* path : {&options.certificate, &options.key, &options.ca}) digest.add_file(*path);
  if (options.ca.empty()) {
    digest.add_time(chosen(X509_get_default_cert_file_env(), X509_get_default_cert_file()));
    digest.add_time(chosen(X509_get_default_cert_dir_env(), X509_get_default_cert_dir()));
  }
  return digest.end();
}

constexpr const char* kNoContext = "OpenSSL cannot make a context";

}  // namespace

TlsContext::TlsContext(Side side, TlsOptions options, std::string digest, std::shared_ptr<ssl_ctx_st> context)
    : side_(side), options_(std::move(options)), digest_(std::move(digest)), context_(std::move(context)) {}

TlsContext::Made TlsContext::of_client(const TlsOptions& options) {
  const auto context = make(TLS_client_method());
  if (!context) return failed(kNoContext);
  auto digest = digest_of(options);
  // Each session is stored in the TlsSession of its server, not in a cache of the context.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context.get(), &TlsChannel::keep_session);
  SSL_CTX_set_verify(context.get(), options.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  if (const auto& name = options.protocol; !name.empty()) {
    const auto offered = static_cast<char>(name.size()) + name;
    SSL_CTX_set_alpn_protos(context.get(), reinterpret_cast<const unsigned char*>(offered.data()),
                            static_cast<unsigned>(offered.size()));
  }
  std::string reason = load_authorities(context.get(), options.ca);
  if (reason.empty()) reason = load_own(context.get(), options);
  if (!reason.empty()) return failed(std::move(reason));
  ERR_clear_error();
  return std::shared_ptr<const TlsContext>(new TlsContext(Side::client, options, std::move(digest), context));
}

TlsContext::Made TlsContext::of_server(const std::string& certificate, const std::string& key) {
  const auto context = make(TLS_server_method());
  if (!context) return failed(kNoContext);
  const TlsOptions options{.ca = {}, .certificate = certificate, .key = key, .server_name = {}, .verify = false};
  std::string reason = certificate.empty() ? "a server needs a certificate" : load_own(context.get(), options);
  if (!reason.empty()) return failed(std::move(reason));
  ERR_clear_error();
  return std::shared_ptr<const TlsContext>(new TlsContext(Side::server, options, digest_of(options), context));
}

}  // namespace headgate::net
