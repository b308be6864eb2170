#pragma once
// Version 1 of the PROXY protocol: a line of text.

#include "headgate/identity/proxy_protocol.hpp"

namespace headgate::identity {

/// How version 1 begins.
inline constexpr std::string_view kProxyWord = "PROXY ";

/// As read_proxy_header, for bytes that begin with kProxyWord.
ProxyHeaderState read_proxy_header_v1(std::string_view bytes, ProxyHeader& out) noexcept;

}  // namespace headgate::identity
