#include "headgate/notify/signature.hpp"

#include "headgate/identity/hmac.hpp"

#include <openssl/evp.h>

#include <cstddef>
#include <utility>

namespace headgate::notify {
namespace {

using Secret = Result<std::string, std::string>;

constexpr std::string_view kPrefix = "whsec_";
constexpr std::size_t kMinSecret = 24;
constexpr std::size_t kMaxSecret = 64;
constexpr std::size_t kQuantum = 4;  // Base64 letters for three bytes.

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::string base64(const unsigned char* bytes, std::size_t size) {
  std::string out((size + 2) / 3 * kQuantum + 1, '\0');  // OpenSSL adds a terminating zero.
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes, static_cast<int>(size));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

/// Decodes base64. Returns "" if `text` is not the canonical encoding of at least one byte.
std::string from_base64(std::string_view text) {
  if (text.empty() || text.size() % kQuantum != 0) return {};
  std::string out(text.size() / kQuantum * 3, '\0');
  const int length =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes_of(text), static_cast<int>(text.size()));
  if (length < 0) return {};
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  out.resize(static_cast<std::size_t>(length) - padding);
  return base64(bytes_of(out), out.size()) == text ? out : std::string();
}

}  // namespace

Secret read_secret(std::string_view text) {
  auto bytes = text.starts_with(kPrefix) && text.size() <= 2 * kMaxSecret ? from_base64(text.substr(kPrefix.size()))
                                                                          : std::string();
  if (bytes.size() < kMinSecret || bytes.size() > kMaxSecret)
    return Secret(boost::system::in_place_error,
                  "the secret of a webhook must be \"whsec_\" followed by 24 to 64 bytes in base64; make one with "
                  "echo whsec_$(openssl rand -base64 32)");
  return Secret(boost::system::in_place_value, std::move(bytes));
}

std::string signature(const std::vector<std::string>& secrets, std::string_view id, std::int64_t timestamp,
                      std::string_view body) {
  std::string text(id);
  text += '.' + std::to_string(timestamp) + '.';
  text += body;
  std::string out;
  for (const auto& secret : secrets) {
    const auto digest = identity::hmac_sha256(secret, text);
    out += (out.empty() ? "v1," : " v1,") + base64(digest.data(), digest.size());
  }
  return out;
}

}  // namespace headgate::notify
