#include "headgate/net/tls/certificate_words.hpp"

#include "openssl.hpp"

#include <boost/asio/ip/address.hpp>

#include <openssl/err.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

namespace headgate::net {
namespace {

struct FreeText {
  void operator()(char* text) const noexcept { OPENSSL_free(text); }
};

std::string words_of_name(const X509_NAME* name) {
  const openssl::Bio out(BIO_new(BIO_s_mem()));
  if (!out || X509_NAME_print_ex(out.get(), name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) < 0) return {};
  char* bytes = nullptr;
  const auto size = BIO_get_mem_data(out.get(), &bytes);
  return {bytes, static_cast<std::size_t>(std::max<long>(size, 0))};
}

std::string serial_of(X509* certificate) {
  const std::unique_ptr<BIGNUM, FreedBy<BN_free>> number(
      ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr));
  const std::unique_ptr<char, FreeText> text(number ? BN_bn2hex(number.get()) : nullptr);
  return text ? text.get() : std::string();
}

std::string address_in(const ASN1_STRING* bytes) {
  const auto* const data = ASN1_STRING_get0_data(bytes);
  boost::asio::ip::address_v4::bytes_type four{};
  boost::asio::ip::address_v6::bytes_type sixteen{};
  const auto size = static_cast<std::size_t>(ASN1_STRING_length(bytes));
  if (size == four.size()) {
    std::copy_n(data, size, four.begin());
    return boost::asio::ip::make_address_v4(four).to_string();
  }
  if (size != sixteen.size()) return {};
  std::copy_n(data, size, sixteen.begin());
  return boost::asio::ip::make_address_v6(sixteen).to_string();
}

std::vector<std::string> all_names_of(X509* certificate) {
  std::vector<std::string> out;
  const openssl::GeneralNames names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), i);
    std::string text;
    if (name->type == GEN_DNS)
      text.assign(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
                  static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName)));
    else if (name->type == GEN_IPADD)
      text = address_in(name->d.iPAddress);
    if (!text.empty()) out.push_back(std::move(text));
  }
  return out;
}

CertificateWords words_of(X509* certificate) {
  CertificateWords out{.subject = words_of_name(X509_get_subject_name(certificate)),
                       .issuer = words_of_name(X509_get_issuer_name(certificate)),
                       .serial = serial_of(certificate),
                       .names = all_names_of(certificate),
                       .not_before = openssl::instant_of(X509_get0_notBefore(certificate)),
                       .not_after = openssl::instant_of(X509_get0_notAfter(certificate))};
  ERR_clear_error();
  return out;
}

}  // namespace

std::vector<CertificateWords> words_of_pem(std::string_view text) {
  std::vector<CertificateWords> out;
  for (const auto& each : openssl::read_chain(text, nullptr)) out.push_back(words_of(each.get()));
  return out;
}

std::vector<CertificateWords> words_of_own(const TlsContext& context) {
  X509* const own = SSL_CTX_get0_certificate(context.get());
  if (own == nullptr) return {};
  return {words_of(own)};
}

std::vector<CertificateWords> words_of_authorities(const TlsContext& context) {
  std::vector<CertificateWords> out;
  if (context.options().ca.empty()) return out;
  const openssl::Stack all(X509_STORE_get1_all_certs(SSL_CTX_get_cert_store(context.get())));
  for (int i = 0; all && i < sk_X509_num(all.get()); ++i) out.push_back(words_of(sk_X509_value(all.get(), i)));
  return out;
}

}  // namespace headgate::net
