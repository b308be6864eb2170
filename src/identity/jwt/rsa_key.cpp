#include "rsa_key.hpp"

#include <openssl/core_names.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <climits>

namespace headgate::identity {
namespace {

constexpr int kLeastBits = 2048;  // RFC 7518 section 3.3
constexpr int kMostBits = 16384;  // OpenSSL verifies with no larger one

/// One PEM block, as OpenSSL allocates its parts.
struct PemBlock {
  char* name = nullptr;
  char* header = nullptr;
  unsigned char* data = nullptr;
  long size = 0;

  PemBlock() = default;
  PemBlock(const PemBlock&) = delete;
  PemBlock& operator=(const PemBlock&) = delete;
  ~PemBlock() {
    OPENSSL_free(name);
    OPENSSL_free(header);
    OPENSSL_clear_free(data, static_cast<std::size_t>(size));  // it may be a private key given by mistake
  }
};

std::string wrong_block(std::string_view name) {
  if (name == "CERTIFICATE") {
    return "the PEM holds a certificate; take the key out of it with \"openssl x509 -in cert.pem -noout -pubkey\"";
  }
  if (name.ends_with("PRIVATE KEY")) {
    return "the PEM holds a private key, which belongs to the issuer alone; make the public one with "
           "\"openssl pkey -in key.pem -pubout\"";
  }
  return "the PEM holds something else; a public key begins with \"-----BEGIN PUBLIC KEY-----\"";
}

KeyOwner decode(const PemBlock& block) {
  const unsigned char* at = block.data;
  const bool is_pkcs1 = std::string_view(block.name) == "RSA PUBLIC KEY";
  KeyOwner key(is_pkcs1 ? d2i_PublicKey(EVP_PKEY_RSA, nullptr, &at, block.size) : d2i_PUBKEY(nullptr, &at, block.size));
  if (key && at != block.data + block.size) key.reset();
  return key;
}

bool sound_exponent(const EVP_PKEY* key) {
  BIGNUM* raw = nullptr;
  if (EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &raw) != 1) return false;
  const BigNumberOwner exponent(raw);
  return BN_is_odd(raw) == 1 && BN_is_one(raw) == 0;
}

/// "" where the key will do.
std::string objection(const EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "RSA") != 1) return "the PEM holds a public key that is not RSA; RS256 needs an RSA key";
  const int bits = EVP_PKEY_get_bits(key);
  if (bits < kLeastBits) {
    return "the RSA key has " + std::to_string(bits) + " bits; RS256 needs at least " + std::to_string(kLeastBits);
  }
  if (bits > kMostBits) {
    return "the RSA key has " + std::to_string(bits) + " bits; at most " + std::to_string(kMostBits) + " are supported";
  }
  if (!sound_exponent(key))
    return "the RSA key has an exponent with which anyone could sign; have the issuer make a new key";
  return {};
}

}  // namespace

Result<KeyOwner, std::string> read_rsa_public_key(std::string_view pem) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  const auto first = pem.find(kBegin);
  if (first == pem.npos || pem.size() > INT_MAX) {
    return std::string("this is not PEM; a public key begins with \"-----BEGIN PUBLIC KEY-----\"");
  }
  if (pem.find(kBegin, first + 1) != pem.npos)
    return std::string("the PEM holds more than one block; leave only the public key");

  const QuietErrors quiet;
  const BioOwner source(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  PemBlock block;
  if (!source || PEM_read_bio(source.get(), &block.name, &block.header, &block.data, &block.size) != 1) {
    return std::string("the PEM is damaged; copy it whole, from its BEGIN line to its END line");
  }
  const std::string_view name = block.name;
  if (name != "PUBLIC KEY" && name != "RSA PUBLIC KEY") return wrong_block(name);
  auto key = decode(block);
  if (!key) return std::string("the PEM is damaged; what it holds is not a public key");
  if (auto why_not = objection(key.get()); !why_not.empty()) return why_not;
  return key;
}

}  // namespace headgate::identity
