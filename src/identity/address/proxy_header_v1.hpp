#pragma once
// Version 1 of the PROXY protocol: a line of text.

#include "headgate/identity/proxy_protocol.hpp"

namespace headgate::identity {

/// The beginning of version 1.
inline constexpr std::string_view kProxyWord = "PROXY ";

/// Like read_proxy_header, for bytes that begin with kProxyWord.
ProxyHeaderState read_proxy_header_v1(std::string_view bytes, ProxyHeader& out) noexcept;

}  // namespace headgate::identity
