#include "peer_certificate.hpp"

#include "openssl.hpp"

#include "headgate/core/hex.hpp"

#include <array>

namespace headgate::net {
namespace {

/// Appends printable text in which separators and escape characters are escaped. Two different texts never give the
/// same result.
void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c > ' ' && c <= '~' && c != ',' && c != '\\') {
      out += c;
      continue;
    }
    out += '\\';
    append_hex(out, static_cast<unsigned char>(c));
  }
}

std::string_view text_of(const ASN1_STRING* string) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(string)),
          static_cast<std::size_t>(ASN1_STRING_length(string))};
}

std::string subject_text(X509* certificate) {
  const openssl::Bio out(BIO_new(BIO_s_mem()));
  // The format is that of RFC 4514, which replaced RFC 2253 but did not change the format. Bytes outside ASCII are
  // escaped.
  if (!out || X509_NAME_print_ex(out.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253) < 0) return {};
  char* bytes = nullptr;
  const auto size = BIO_get_mem_data(out.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

/// Appends "DNS:a.example"; nothing for a kind of name without a text form.
void append_name(std::string& out, const GENERAL_NAME& name) {
  const auto append = [&](std::string_view sort, std::string_view text) {
    if (!out.empty()) out += ',';
    out += sort;
    append_escaped(out, text);
  };
  switch (name.type) {
    case GEN_DNS:
      return append("DNS:", text_of(name.d.dNSName));
    case GEN_URI:
      return append("URI:", text_of(name.d.uniformResourceIdentifier));
    case GEN_EMAIL:
      return append("email:", text_of(name.d.rfc822Name));
    case GEN_IPADD: {
      std::string digits;
      for (const char c : text_of(name.d.iPAddress)) {
        const auto byte = static_cast<unsigned char>(c);
        digits += kHexDigits[byte >> 4];
        digits += kHexDigits[byte & 15];
      }
      return append("IP:", digits);
    }
    default:
      return;
  }
}

std::string peer_names(X509* certificate) {
  std::string out;
  const openssl::GeneralNames names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i)
    append_name(out, *sk_GENERAL_NAME_value(names.get(), i));
  return out;
}

std::string fingerprint_of(X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (X509_digest(certificate, EVP_sha256(), digest.data(), &size) != 1) return {};
  std::string out;
  for (unsigned i = 0; i < size; ++i) {
    out += kHexDigits[digest[i] >> 4];
    out += kHexDigits[digest[i] & 15];
  }
  return out;
}

}  // namespace

PeerCertificate read_peer(x509_st* certificate) {
  return {
      .subject = subject_text(certificate), .names = peer_names(certificate), .sha256 = fingerprint_of(certificate)};
}

}  // namespace headgate::net
