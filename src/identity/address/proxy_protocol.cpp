#include "headgate/identity/proxy_protocol.hpp"

#include "proxy_header_v1.hpp"
#include "proxy_header_v2.hpp"

namespace headgate::identity {

ProxyHeaderState read_proxy_header(std::string_view bytes, ProxyHeader& out) noexcept {
  if (bytes.starts_with(kProxySignature)) return read_proxy_header_v2(bytes, out);
  if (bytes.starts_with(kProxyWord)) return read_proxy_header_v1(bytes, out);
  // Waits for more bytes only if one of the versions is still possible.
  const bool begins = kProxySignature.starts_with(bytes) || kProxyWord.starts_with(bytes);
  return begins ? ProxyHeaderState::more : ProxyHeaderState::malformed;
}

}  // namespace headgate::identity
