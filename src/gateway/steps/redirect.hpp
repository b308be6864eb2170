#pragma once
// The step that sends requests without TLS to https.

#include "headgate/gateway/problem.hpp"

#include <optional>

namespace headgate::gateway {

/// The port of https that requests without TLS are sent to; 0: they are served. The route decides, else its listener.
inline std::uint16_t https_port_of(const Exchange& x) noexcept { return x.route->https_port.value_or(x.https_port); }

/// The redirect of a request whose client does not use TLS. Only if https_port_of() is not 0.
std::optional<Problem> redirect(Exchange& x);

}  // namespace headgate::gateway
