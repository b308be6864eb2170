#pragma once
// RAII owners of OpenSSL's objects.

#include "headgate/core/freed_by.hpp"
#include "headgate/core/time.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string_view>
#include <vector>

namespace headgate::net::openssl {

using Bio = std::unique_ptr<BIO, FreedBy<BIO_free>>;
using PrivateKey = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, FreedBy<X509_free>>;
using Context = std::unique_ptr<SSL_CTX, FreedBy<SSL_CTX_free>>;
using GeneralNames = std::unique_ptr<GENERAL_NAMES, FreedBy<GENERAL_NAMES_free>>;

struct FreeStack {
  void operator()(STACK_OF(X509) * stack) const noexcept { sk_X509_pop_free(stack, X509_free); }
};
using Stack = std::unique_ptr<STACK_OF(X509), FreeStack>;

inline Bio reading(std::string_view text) { return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

/// Returns all certificates of a PEM text; empty if it has none, or one that cannot be read. A null `library` is
/// OpenSSL's default.
std::vector<Certificate> read_chain(std::string_view text, OSSL_LIB_CTX* library);
/// Returns the key of a PEM text; null if it has none that can be read without a passphrase.
PrivateKey read_key(std::string_view text, OSSL_LIB_CTX* library);
/// Returns the time, or 1970 if it cannot be read.
Instant instant_of(const ASN1_TIME* time);

}  // namespace headgate::net::openssl
