#pragma once
// Owners for objects of OpenSSL, and a guard for its error queue.

#include "headgate/core/freed_by.hpp"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/x509.h>

#include <memory>

namespace headgate::identity {

using BioOwner = std::unique_ptr<BIO, FreedBy<BIO_free>>;
using BigNumberContext = std::unique_ptr<BN_CTX, FreedBy<BN_CTX_free>>;
using BigNumberOwner = std::unique_ptr<BIGNUM, FreedBy<BN_free>>;
using CertificateOwner = std::unique_ptr<X509, FreedBy<X509_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, FreedBy<EVP_MD_CTX_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, FreedBy<EVP_PKEY_CTX_free>>;
using KeyOwner = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using MacContext = std::unique_ptr<EVP_MAC_CTX, FreedBy<EVP_MAC_CTX_free>>;
using MacOwner = std::unique_ptr<EVP_MAC, FreedBy<EVP_MAC_free>>;
using ParamBuilder = std::unique_ptr<OSSL_PARAM_BLD, FreedBy<OSSL_PARAM_BLD_free>>;
using ParamsOwner = std::unique_ptr<OSSL_PARAM, FreedBy<OSSL_PARAM_free>>;

/// Drops the errors that OpenSSL queues on this thread within its scope. A TLS connection on the same thread reads the
/// same queue, and would take the error of a refused token for its own.
class QuietErrors {
 public:
  QuietErrors() noexcept { ERR_set_mark(); }
  ~QuietErrors() { ERR_pop_to_mark(); }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
};

inline const unsigned char* bytes_of(const char* data) noexcept { return reinterpret_cast<const unsigned char*>(data); }

}  // namespace headgate::identity
