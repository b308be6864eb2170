#pragma once
// A signature computed in another way than headgate does.

#include <openssl/bio.h>
#include <openssl/buffer.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace headgate::notify::test {

/// "v1," and the base64 of the HMAC-SHA256 of `text`.
inline std::string openssl_signature(std::string_view secret, std::string_view text) {
  const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> mac(EVP_MAC_fetch(nullptr, "HMAC", nullptr), &EVP_MAC_free);
  const std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> context(EVP_MAC_CTX_new(mac.get()),
                                                                          &EVP_MAC_CTX_free);
  std::string digest = "SHA256";
  const std::array<OSSL_PARAM, 2> params = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), digest.size()),
      OSSL_PARAM_construct_end()};
  std::array<unsigned char, 64> bytes{};
  std::size_t size = 0;
  EVP_MAC_init(context.get(), reinterpret_cast<const unsigned char*>(secret.data()), secret.size(), params.data());
  EVP_MAC_update(context.get(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
  EVP_MAC_final(context.get(), bytes.data(), &size, bytes.size());

  BIO* const memory = BIO_new(BIO_s_mem());
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> chain(BIO_push(BIO_new(BIO_f_base64()), memory), &BIO_free_all);
  BIO_set_flags(chain.get(), BIO_FLAGS_BASE64_NO_NL);
  BIO_write(chain.get(), bytes.data(), static_cast<int>(size));
  BIO_flush(chain.get());
  BUF_MEM* written = nullptr;
  BIO_get_mem_ptr(memory, &written);
  return "v1," + std::string(written->data, written->length);
}

}  // namespace headgate::notify::test
