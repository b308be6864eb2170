#include "headgate/identity/proxy_protocol.hpp"

namespace headgate::identity {

ProxyHeaderState read_proxy_header(std::string_view, ProxyHeader&) noexcept { return ProxyHeaderState::malformed; }

}  // namespace headgate::identity
