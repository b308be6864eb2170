#include "headgate/http/origin.hpp"

#include "headgate/core/text.hpp"
#include "headgate/http/host.hpp"

#include <algorithm>

namespace headgate::http {
namespace {

/// Checks the syntax of RFC 3986 section 3.1.
bool is_scheme(std::string_view text) noexcept {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto good = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'; };
  return !text.empty() && letter(text.front()) && std::all_of(text.begin(), text.end(), good);
}

/// Returns the port of an authority; "" if it has none.
std::string_view port_of(std::string_view authority) noexcept {
  const auto colon = authority.rfind(':');
  const auto bracket = authority.rfind(']');
  if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket)) return {};
  return authority.substr(colon + 1);
}

}  // namespace

bool normalise_origin(std::string_view text, std::string& out) {
  constexpr std::string_view kSlashes = "://";
  const auto slashes = text.find(kSlashes);
  if (text.size() > kMaxOrigin || slashes == std::string_view::npos) return false;
  const auto scheme = lower(text.substr(0, slashes));
  const auto authority = text.substr(slashes + kSlashes.size());
  const auto port = port_of(authority);
  const auto host = authority.substr(0, authority.size() - (port.empty() ? 0 : port.size() + 1));
  // Browsers treat a host with the final dot as another origin, and never write a colon without a port.
  if (!is_scheme(scheme) || host.ends_with('.') || host.ends_with(':') || port.starts_with('0')) return false;
  std::string normal;
  if (!normalise_host(authority, normal)) return false;
  out = scheme;
  out.append(kSlashes).append(normal);
  const bool usual = (scheme == "http" && port == "80") || (scheme == "https" && port == "443");
  if (!port.empty() && !usual) out.append(":").append(port);
  return true;
}

}  // namespace headgate::http
