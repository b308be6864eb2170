#include "request_rows.hpp"

#include "headgate/core/utf8.hpp"
#include "headgate/core/whole_number.hpp"

#include <algorithm>
#include <cstdint>

namespace headgate::admin {

std::string caller_text(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const auto length = character_length(bytes, at);
    if (length == 0)
      append_utf8(static_cast<std::uint8_t>(bytes[at]), out);
    else
      out += bytes.substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::optional<std::size_t> limit_asked(const AdminCall& call, std::size_t usual, std::size_t most) {
  const auto text = call.asked("limit");
  return text ? whole_number<std::size_t>(*text, 1, most) : usual;
}

}  // namespace headgate::admin
