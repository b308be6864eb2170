#include "ticket_keys.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

namespace headgate::net {
namespace {

constexpr std::string_view kTicketPurpose = "headgate session tickets 1";

/// Derives a key with HKDF-SHA-256 (RFC 5869); `info` names its purpose.
bool derive(ossl_lib_ctx_st* library, std::string& secret, std::string info, std::span<unsigned char> out) {
  const std::unique_ptr<EVP_KDF, void (*)(EVP_KDF*)> kdf(EVP_KDF_fetch(library, "HKDF", nullptr), EVP_KDF_free);
  const std::unique_ptr<EVP_KDF_CTX, void (*)(EVP_KDF_CTX*)> context(kdf ? EVP_KDF_CTX_new(kdf.get()) : nullptr,
                                                                     EVP_KDF_CTX_free);
  char digest[] = "SHA256";
  const std::array<OSSL_PARAM, 4> parameters{
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, secret.data(), secret.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info.data(), info.size()), OSSL_PARAM_construct_end()};
  const bool made = context && EVP_KDF_derive(context.get(), out.data(), out.size(), parameters.data()) == 1;
  ERR_clear_error();
  return made;
}

}  // namespace

TicketKeys::~TicketKeys() {
  OPENSSL_cleanse(secret_.data(), secret_.size());
  OPENSSL_cleanse(keys_.data(), sizeof keys_);
}

const TicketKey* TicketKeys::of(std::int64_t hour) {
  auto& key = keys_[static_cast<std::size_t>(hour) % keys_.size()];
  if (key.hour == hour) return &key;
  key.hour = -1;
  std::array<unsigned char, 80> bytes{};
  if (!derive(library_, secret_, std::string(kTicketPurpose) + " hour " + std::to_string(hour), bytes)) return nullptr;
  const auto* at = bytes.data();
  const auto take = [&at](auto& part) {
    std::copy_n(at, part.size(), part.begin());
    at += part.size();
  };
  take(key.name);
  take(key.cipher);
  take(key.signature);
  OPENSSL_cleanse(bytes.data(), bytes.size());
  key.hour = hour;
  return &key;
}

const TicketKey* TicketKeys::to_seal(std::int64_t second) { return of(second / kTicketSeconds); }

const TicketKey* TicketKeys::to_open(std::span<const unsigned char, 16> name, std::int64_t second) {
  const auto now = second / kTicketSeconds;
  for (const auto hour : {now, now - 1, now + 1}) {
    const auto* const key = hour < 0 ? nullptr : of(hour);
    if (key != nullptr && std::equal(name.begin(), name.end(), key->name.begin())) return key;
  }
  return nullptr;
}

}  // namespace headgate::net
