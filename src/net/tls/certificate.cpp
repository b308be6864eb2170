#include "headgate/net/tls/certificate.hpp"

#include "openssl.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

namespace headgate::net {
namespace openssl {

std::vector<Certificate> read_chain(std::string_view text, OSSL_LIB_CTX* library) {
  std::vector<Certificate> out;
  const Bio bio = reading(text);
  while (bio) {
    X509* made = X509_new_ex(library, nullptr);
    if (made == nullptr) return {};
    if (PEM_read_bio_X509_AUX(bio.get(), &made, nullptr, nullptr) == nullptr) {
      X509_free(made);
      // No certificate was read: the text has ended, or is something else from here on, such as the key.
      const bool ended = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
      ERR_clear_error();
      if (!ended) out.clear();
      break;
    }
    out.emplace_back(made);
  }
  return out;
}

PrivateKey read_key(std::string_view text, OSSL_LIB_CTX* library) {
  const Bio bio = reading(text);
  // By default OpenSSL asks for a passphrase on the terminal.
  const auto no_passphrase = [](char*, int, int, void*) { return 0; };
  PrivateKey key(bio ? PEM_read_bio_PrivateKey_ex(bio.get(), nullptr, no_passphrase, nullptr, library, nullptr)
                     : nullptr);
  ERR_clear_error();
  return key;
}

Instant instant_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
  return Instant(std::chrono::duration_cast<Instant::duration>(std::chrono::seconds(::timegm(&parts))));
}

}  // namespace openssl

namespace {

using FaultAt = CertificateFault::At;
using Read = Result<CertificateFacts, CertificateFault>;

Read at_fault(FaultAt at, std::string why) {
  return Read(boost::system::in_place_error, CertificateFault{at, std::move(why)});
}

KeyKind kind_of(X509* certificate) {
  const EVP_PKEY* const key = X509_get0_pubkey(certificate);
  if (key == nullptr) return KeyKind::other;
  if (EVP_PKEY_is_a(key, "RSA") == 1) return KeyKind::rsa;
  return EVP_PKEY_is_a(key, "EC") == 1 ? KeyKind::ec : KeyKind::other;
}

bool is_host_character(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '*';
}

/// Returns host names only, because SNI has no addresses (RFC 6066 section 3).
std::vector<std::string> names_of(X509* certificate) {
  std::vector<std::string> out;
  const openssl::GeneralNames names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_DNS) continue;
    const auto* const bytes = reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName));
    std::string text(bytes, static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName)));
    for (auto& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (text.empty() || !std::all_of(text.begin(), text.end(), is_host_character)) continue;
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
  }
  return out;
}

/// Returns whether the certificate has names of another kind, such as addresses.
bool has_addresses(X509* certificate) {
  const openssl::GeneralNames names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  return names && sk_GENERAL_NAME_num(names.get()) > 0;
}

std::size_t stray_in(const std::vector<openssl::Certificate>& chain) {
  for (std::size_t i = 1; i < chain.size(); ++i)
    if (X509_check_issued(chain[i].get(), chain[i - 1].get()) != X509_V_OK) return i + 1;
  return 0;
}

bool fits(const openssl::Certificate& certificate, const openssl::PrivateKey& key) {
  const bool out = X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  return out;
}

/// Returns the reason why OpenSSL would never use the pair although it matches, such as a key or signature that is too
/// weak; "" if it would.
std::string unfit(const std::vector<openssl::Certificate>& chain, const openssl::PrivateKey& key) {
  static const openssl::Context rules(SSL_CTX_new(TLS_server_method()));
  const std::unique_ptr<SSL, FreedBy<SSL_free>> trial(rules ? SSL_new(rules.get()) : nullptr);
  const openssl::Stack rest(sk_X509_new_null());
  for (std::size_t i = 1; rest && i < chain.size(); ++i)
    if (sk_X509_push(rest.get(), chain[i].get()) > 0) X509_up_ref(chain[i].get());
  const bool usable =
      trial && rest && SSL_use_cert_and_key(trial.get(), chain.front().get(), key.get(), rest.get(), 1) == 1;
  const char* const why = usable ? nullptr : ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return usable ? std::string() : why != nullptr ? why : "OpenSSL does not say why";
}

std::string counted_place(std::size_t number) {
  if (number == 2) return "second";
  return number == 3 ? "third" : std::to_string(number) + "th";
}

}  // namespace

Result<CertificateFacts, CertificateFault> read_certificate(std::string_view chain_text, std::string_view key_text) {
  const auto chain = openssl::read_chain(chain_text, nullptr);
  if (chain.empty()) return at_fault(FaultAt::certificate, "holds no certificate in PEM");
  const auto key = openssl::read_key(key_text, nullptr);
  if (!key) return at_fault(FaultAt::key, "holds no key in PEM that can be read without a passphrase");
  if (!fits(chain.front(), key)) {
    const auto own = std::find_if(chain.begin(), chain.end(), [&](const auto& each) { return fits(each, key); });
    if (own == chain.end()) return at_fault(FaultAt::key, "does not belong to the certificate");
    const auto place = static_cast<std::size_t>(own - chain.begin()) + 1;
    return at_fault(FaultAt::certificate, "has the certificate that belongs to the key in the " + counted_place(place) +
                                              " place, not in the first");
  }
  if (const auto why = unfit(chain, key); !why.empty())
    return at_fault(FaultAt::certificate, "is too weak for any handshake: " + why);
  CertificateFacts out;
  X509* const own = chain.front().get();
  out.names = names_of(own);
  out.named = !out.names.empty() || has_addresses(own);
  out.not_before = openssl::instant_of(X509_get0_notBefore(own));
  out.not_after = openssl::instant_of(X509_get0_notAfter(own));
  out.kind = kind_of(own);
  out.stray = stray_in(chain);
  ERR_clear_error();
  return out;
}

Result<std::size_t, std::string> count_certificates(std::string_view text) {
  const auto count = openssl::read_chain(text, nullptr).size();
  if (count > 0) return count;
  return Result<std::size_t, std::string>(boost::system::in_place_error, "holds no certificate in PEM");
}

bool is_group(const std::string& name) {
  if (name.empty() || name.find(':') != std::string::npos) return false;
  const openssl::Context context(SSL_CTX_new(TLS_server_method()));
  const bool known = context && SSL_CTX_set1_groups_list(context.get(), name.c_str()) == 1;
  ERR_clear_error();
  return known;
}

}  // namespace headgate::net
