#include "pem.hpp"

#include <openssl/pem.h>

#include <climits>
#include <cstddef>

namespace headgate::identity {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ";

/// A PEM block, whose parts OpenSSL allocates.
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
    OPENSSL_clear_free(data, static_cast<std::size_t>(size));  // the data may be a private key given by mistake
  }
};

std::string wrong_block(std::string_view name) {
  if (name.ends_with("PRIVATE KEY")) {
    return "the PEM holds a private key, which belongs to the issuer alone; make the public one with "
           "\"openssl pkey -in key.pem -pubout\"";
  }
  return "the PEM holds something else; a public key begins with \"-----BEGIN PUBLIC KEY-----\"";
}

/// Returns the key in a block with this name; null if the block is damaged or has other bytes after the key.
KeyOwner decode(const PemBlock& block, std::string_view name) {
  const unsigned char* at = block.data;
  KeyOwner key;
  if (name == "CERTIFICATE") {
    const CertificateOwner certificate(d2i_X509(nullptr, &at, block.size));
    if (certificate) key.reset(X509_get_pubkey(certificate.get()));
  } else if (name == "RSA PUBLIC KEY") {
    key.reset(d2i_PublicKey(EVP_PKEY_RSA, nullptr, &at, block.size));
  } else {
    key.reset(d2i_PUBKEY(nullptr, &at, block.size));
  }
  if (at != block.data + block.size) key.reset();
  return key;
}

}  // namespace

bool looks_like_pem(std::string_view text) noexcept { return text.find(kBegin) != text.npos; }

Result<KeyOwner, std::string> read_public_key(std::string_view pem) {
  const auto first = pem.find(kBegin);
  if (first == pem.npos || pem.size() > INT_MAX) {
    return std::string("this is not PEM; a public key begins with \"-----BEGIN PUBLIC KEY-----\"");
  }
  if (pem.find(kBegin, first + 1) != pem.npos) {
    return std::string("the PEM holds more than one block; leave only the public key");
  }
  const QuietErrors quiet;
  const BioOwner source(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  PemBlock block;
  if (!source || PEM_read_bio(source.get(), &block.name, &block.header, &block.data, &block.size) != 1) {
    return std::string("the PEM is damaged; copy it whole, from its BEGIN line to its END line");
  }
  const std::string_view name = block.name;
  if (name != "PUBLIC KEY" && name != "RSA PUBLIC KEY" && name != "CERTIFICATE") return wrong_block(name);
  auto key = decode(block, name);
  if (!key) return std::string("the PEM is damaged; what it holds is not a public key");
  return key;
}

}  // namespace headgate::identity
