#pragma once
// Version 2 of the PROXY protocol: a binary block.

#include "headgate/identity/proxy_protocol.hpp"

namespace headgate::identity {

/// The beginning of version 2.
inline constexpr std::string_view kProxySignature{"\r\n\r\n\0\r\nQUIT\n", 12};

/// Like read_proxy_header, for bytes that begin with kProxySignature.
ProxyHeaderState read_proxy_header_v2(std::string_view bytes, ProxyHeader& out) noexcept;

}  // namespace headgate::identity
