#pragma once
// A frame of HTTP/2, right or wrong.

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::fuzz {

inline std::string h2_frame(std::uint8_t type, std::uint8_t flags, std::uint8_t stream, std::string_view payload) {
  std::string out;
  for (const int shift : {16, 8, 0}) out += static_cast<char>(payload.size() >> shift);
  out += static_cast<char>(type);
  out += static_cast<char>(flags);
  out += std::string(3, '\0');
  out += static_cast<char>(stream);
  return out.append(payload);
}

}  // namespace headgate::fuzz
