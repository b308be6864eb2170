// Fuzzes PROXY headers: a complete header is not complete at a shorter length, and never longer than its input.

#include "headgate/identity/proxy_protocol.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace headgate::fuzz {

void proxy_protocol_fuzz(std::string_view bytes) {
  using namespace headgate::identity;
  ProxyHeader header;
  const auto state = read_proxy_header(bytes, header);
  if (state == ProxyHeaderState::whole) {
    if (header.size == 0 || header.size > std::min(bytes.size(), kMaxProxyHeader)) std::abort();
    if (header.certificate && !header.tls) std::abort();
  }
  const auto shorter = state == ProxyHeaderState::whole ? header.size - 1 : bytes.size() / 2;
  const auto before = read_proxy_header(bytes.substr(0, shorter), header);
  if (before == ProxyHeaderState::whole) std::abort();
  if (before == ProxyHeaderState::malformed && state != ProxyHeaderState::malformed) std::abort();
}

}  // namespace headgate::fuzz
