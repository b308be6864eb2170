#include "headgate/http/websocket.hpp"

#include "headgate/core/base64.hpp"

#include <openssl/evp.h>

#include <array>

namespace headgate::http {

std::string websocket_key(std::uint64_t first, std::uint64_t second) {
  std::array<char, 16> octets{};
  for (std::size_t i = 0; i < octets.size(); ++i)
    octets[i] = static_cast<char>((i < 8 ? first : second) >> (i % 8 * 8) & 0xff);
  return base64({octets.data(), octets.size()});
}

std::string websocket_accept(std::string_view key) {
  constexpr std::string_view kOfAllServers = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  const auto text = std::string(key).append(kOfAllServers);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  std::size_t size = 0;
  if (EVP_Q_digest(nullptr, "SHA1", nullptr, text.data(), text.size(), digest.data(), &size) != 1) return {};
  return base64({reinterpret_cast<const char*>(digest.data()), size});
}

}  // namespace headgate::http
