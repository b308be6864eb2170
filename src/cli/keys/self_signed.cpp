#include "self_signed.hpp"

#include "headgate/core/freed_by.hpp"
#include "headgate/core/text.hpp"

#include <boost/asio/ip/address.hpp>

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>
#include <string_view>

namespace headgate::cli {
namespace {

using KeyPtr = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, FreedBy<X509_free>>;
using BioPtr = std::unique_ptr<BIO, FreedBy<BIO_free_all>>;

bool is_address(const std::string& name) {
  boost::system::error_code ec;
  boost::asio::ip::make_address(name, ec);
  return !ec;
}

/// Sets a serial number of 159 random bits: RFC 5280 section 4.1.2.2 allows at most 20 octets, and the number must be
/// positive.
bool set_serial(X509* certificate) {
  const std::unique_ptr<BIGNUM, FreedBy<BN_free>> number(BN_new());
  return number && BN_rand(number.get(), 159, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool add_extension(X509* certificate, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, FreedBy<X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

std::string as_subject_names(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names)
    out += (out.empty() ? "" : ",") + std::string(is_address(name) ? "IP:" : "DNS:") + name;
  return out;
}

bool fill(X509* certificate, EVP_PKEY* key, const std::vector<std::string>& names, unsigned days) {
  auto* const subject = X509_get_subject_name(certificate);
  constexpr std::string_view kSubject = "headgate init";
  return X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -60) != nullptr &&
         X509_time_adj_ex(X509_getm_notAfter(certificate), static_cast<int>(days), 0, nullptr) != nullptr &&
         X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_ASC,
                                    reinterpret_cast<const unsigned char*>(kSubject.data()),
                                    static_cast<int>(kSubject.size()), -1, 0) == 1 &&
         X509_set_issuer_name(certificate, subject) == 1 && X509_set_pubkey(certificate, key) == 1 &&
         add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE") &&
         add_extension(certificate, NID_key_usage, "critical,digitalSignature") &&
         add_extension(certificate, NID_ext_key_usage, "serverAuth") &&
         add_extension(certificate, NID_subject_key_identifier, "hash") &&
         add_extension(certificate, NID_subject_alt_name, as_subject_names(names)) &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const auto size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string day_of(const ASN1_TIME* moment) {
  std::tm parts{};
  std::array<char, 16> text{};
  if (ASN1_TIME_to_tm(moment, &parts) != 1) return {};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts)};
}

}  // namespace

Result<CertificatePair, std::string> self_signed(const std::vector<std::string>& names, unsigned days) {
  const KeyPtr key(EVP_EC_gen("P-256"));
  const CertificatePtr certificate(X509_new());
  const BioPtr certificate_text(BIO_new(BIO_s_mem()));
  const BioPtr key_text(BIO_new(BIO_s_secmem()));
  const bool made =
      key && certificate && fill(certificate.get(), key.get(), names, days) &&
      PEM_write_bio_X509(certificate_text.get(), certificate.get()) == 1 &&
      PEM_write_bio_PKCS8PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1;
  ERR_clear_error();
  using Made = Result<CertificatePair, std::string>;
  if (!made) return Made(boost::system::in_place_error, "OpenSSL cannot make a certificate");
  CertificatePair pair{.certificate = text_of(certificate_text.get()),
                       .key = text_of(key_text.get()),
                       .expires = day_of(X509_get0_notAfter(certificate.get()))};
  return pair;
}

bool is_certificate_name(const std::string& name) {
  if (is_address(name)) return true;
  std::string_view rest(name);
  if (rest.starts_with("*.")) rest.remove_prefix(2);
  if (rest.empty() || name.size() > 253) return false;
  while (true) {
    const auto label = rest.substr(0, rest.find('.'));
    if (!all_alnum(label, "-") || label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-')
      return false;
    if (label.size() == rest.size()) return true;
    rest.remove_prefix(label.size() + 1);
  }
}

}  // namespace headgate::cli
