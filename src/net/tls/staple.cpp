#include "headgate/net/tls/staple.hpp"

#include "openssl.hpp"

#include <openssl/err.h>
#include <openssl/ocsp.h>

#include <algorithm>
#include <array>

namespace headgate::net {
namespace {

using Response = std::unique_ptr<OCSP_RESPONSE, FreedBy<OCSP_RESPONSE_free>>;
using BasicResponse = std::unique_ptr<OCSP_BASICRESP, FreedBy<OCSP_BASICRESP_free>>;
using CertificateId = std::unique_ptr<OCSP_CERTID, FreedBy<OCSP_CERTID_free>>;
using Store = std::unique_ptr<X509_STORE, FreedBy<X509_STORE_free>>;
using ReadStaple = Result<Staple, StapleFault>;

ReadStaple no_staple(std::string why) {
  ERR_clear_error();
  return ReadStaple(boost::system::in_place_error, StapleFault{.why = std::move(why)});
}

ReadStaple no_staple_yet(std::string why) {
  ERR_clear_error();
  return ReadStaple(boost::system::in_place_error, StapleFault{.why = std::move(why), .may_pass = true});
}

Response parsed(std::string_view text) {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const end = at + text.size();
  Response out(d2i_OCSP_RESPONSE(nullptr, &at, static_cast<long>(text.size())));
  return at == end ? std::move(out) : nullptr;
}

/// Returns the issuer, or null if the chain does not have it.
X509* issuer_in(const std::vector<openssl::Certificate>& chain) {
  const auto found = std::find_if(chain.begin(), chain.end(), [&](const auto& each) {
    return X509_check_issued(each.get(), chain.front().get()) == X509_V_OK;
  });
  return found == chain.end() ? nullptr : found->get();
}

/// Returns whether the answer is about this certificate. If the issuer's certificate is missing, only the issuer's name
/// is compared, not its key.
bool is_about(const OCSP_SINGLERESP* answer, X509* certificate, X509* issuer) {
  // OpenSSL's API is not const-correct, but only reads
  auto* const id = const_cast<OCSP_CERTID*>(OCSP_SINGLERESP_get0_id(answer));
  ASN1_OCTET_STRING* issuer_name = nullptr;
  ASN1_OBJECT* algorithm = nullptr;
  ASN1_INTEGER* serial = nullptr;
  if (OCSP_id_get0_info(&issuer_name, &algorithm, nullptr, &serial, id) != 1) return false;
  if (ASN1_INTEGER_cmp(serial, X509_get0_serialNumber(certificate)) != 0) return false;
  const EVP_MD* const digest = EVP_get_digestbyobj(algorithm);
  if (digest == nullptr) return false;
  if (issuer != nullptr) {
    const CertificateId own(OCSP_cert_to_id(digest, certificate, issuer));
    return own && OCSP_id_cmp(own.get(), id) == 0;
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> name{};
  unsigned size = 0;
  return X509_NAME_digest(X509_get_issuer_name(certificate), digest, name.data(), &size) == 1 &&
         static_cast<int>(size) == ASN1_STRING_length(issuer_name) &&
         std::equal(name.begin(), name.begin() + size, ASN1_STRING_get0_data(issuer_name));
}

OCSP_SINGLERESP* answer_about(OCSP_BASICRESP* response, X509* certificate, X509* issuer) {
  for (int i = 0; i < OCSP_resp_count(response); ++i) {
    auto* const answer = OCSP_resp_get0(response, i);
    if (is_about(answer, certificate, issuer)) return answer;
  }
  return nullptr;
}

/// Returns the signer: the issuer, or a responder whose certificate the issuer signed for this (RFC 6960 section
/// 4.2.2.2). Null if the response has another signer. The expiry of the signer's certificate is not checked here,
/// because it depends on the current time.
X509* signer_of(OCSP_BASICRESP* response, X509* issuer) {
  const Store store(X509_STORE_new());
  const openssl::Stack others(sk_X509_new_null());
  if (!store || !others || X509_STORE_add_cert(store.get(), issuer) != 1) return nullptr;
  // The issuer is trusted even if its own certificate cannot be verified.
  X509_STORE_set_flags(store.get(), X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_NO_CHECK_TIME);
  if (X509_up_ref(issuer) != 1) return nullptr;
  if (sk_X509_push(others.get(), issuer) == 0) {
    X509_free(issuer);
    return nullptr;
  }
  if (OCSP_basic_verify(response, others.get(), store.get(), 0) != 1) return nullptr;
  X509* signer = nullptr;
  return OCSP_resp_get0_signer(response, &signer, others.get()) == 1 ? signer : nullptr;
}

}  // namespace

Result<Staple, StapleFault> read_staple(std::string_view response, std::string_view chain_text) {
  const auto chain = openssl::read_chain(chain_text, nullptr);
  if (chain.empty()) return no_staple("is for a certificate that cannot be read");
  const auto read = parsed(response);
  if (!read) return no_staple("holds no OCSP response in DER");
  if (const int status = OCSP_response_status(read.get()); status != OCSP_RESPONSE_STATUS_SUCCESSFUL)
    return no_staple_yet(std::string("holds no answer of the responder, but its error ") +
                         OCSP_response_status_str(status));
  const BasicResponse basic(OCSP_response_get1_basic(read.get()));
  if (!basic) return no_staple("holds an OCSP response of an unknown type");
  X509* const issuer = issuer_in(chain);
  auto* const answer = answer_about(basic.get(), chain.front().get(), issuer);
  if (answer == nullptr) return no_staple_yet("is for another certificate");
  ASN1_GENERALIZEDTIME* from = nullptr;
  ASN1_GENERALIZEDTIME* until = nullptr;
  const int status = OCSP_single_get0_status(answer, nullptr, nullptr, &from, &until);
  if (status != V_OCSP_CERTSTATUS_GOOD && status != V_OCSP_CERTSTATUS_REVOKED)
    return no_staple_yet("says that the responder does not know the certificate");
  if (from == nullptr || until == nullptr) return no_staple("does not say when it expires (nextUpdate)");
  Staple out{.response = std::string(response),
             .from = openssl::instant_of(from),
             .until = openssl::instant_of(until),
             .revoked = status == V_OCSP_CERTSTATUS_REVOKED};
  if (issuer != nullptr) {
    X509* const signer = signer_of(basic.get(), issuer);
    if (signer == nullptr)
      return no_staple(
          "is signed neither by the issuer of the certificate nor by a responder that the issuer authorised");
    out.until = std::min(out.until, openssl::instant_of(X509_get0_notAfter(signer)));
  }
  ERR_clear_error();
  return out;
}

}  // namespace headgate::net
