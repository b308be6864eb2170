#include "headgate/http/host.hpp"

#include "headgate/core/text.hpp"

#include <arpa/inet.h>

#include <array>

namespace headgate::http {
namespace {

/// Maps each character to lower case, or to NUL if it is not allowed in host names.
constexpr auto kNormalised = [] {
  std::array<char, 256> out{};
  for (const char c : std::string_view("abcdefghijklmnopqrstuvwxyz0123456789-_."))
    out[static_cast<unsigned char>(c)] = c;
  for (unsigned c = 'A'; c <= 'Z'; ++c) out[c] = static_cast<char>(c + 32);
  return out;
}();

/// Accepts labels separated by single dots. A final dot (of the root) is allowed.
bool append_name(std::string_view name, std::string& out) {
  if (name.ends_with('.')) name.remove_suffix(1);
  const auto start = out.size();
  out.resize(start + name.size());
  char* at = out.data() + start;
  char before = '.';
  for (const char each : name) {
    const char c = kNormalised[static_cast<unsigned char>(each)];
    if (c == '\0' || (c == '.' && before == '.')) return false;
    *at++ = before = c;
  }
  return before != '.';  // false after a second final dot, and for an empty name
}

bool append_address(std::string_view address, std::string& out) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.size() >= sizeof text) return false;
  address.copy(text, address.size());
  in6_addr bits{};
  if (inet_pton(AF_INET6, text, &bits) != 1) return false;
  out += '[';
  out += inet_ntop(AF_INET6, &bits, text, sizeof text);
  out += ']';
  return true;
}

/// Checks the `rest` after the host: empty, a single colon, or a colon and a port from 1 to 65535.
bool valid_port(std::string_view rest) noexcept {
  if (rest.empty() || rest == ":") return true;
  constexpr std::size_t kMax = 6;  // the colon and five digits
  if (rest.front() != ':' || rest.size() > kMax) return false;
  unsigned port = 0;
  for (const char digit : rest.substr(1)) {
    if (digit < '0' || digit > '9') return false;
    port = port * 10 + static_cast<unsigned>(digit - '0');
  }
  return port >= 1 && port <= 65'535;
}

}  // namespace

bool normalise_host(std::string_view authority, std::string& out) {
  out.clear();
  if (!authority.starts_with('[')) {
    const auto name = authority.substr(0, authority.find(':'));
    return valid_port(authority.substr(name.size())) && append_name(name, out);
  }
  const auto end = authority.find(']');
  return end != std::string_view::npos && valid_port(authority.substr(end + 1)) &&
         append_address(authority.substr(1, end - 1), out);
}

}  // namespace headgate::http
