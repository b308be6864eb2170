#pragma once
// HTTP/2 on few connections, over TLS or with prior knowledge (RFC 9113 section 3).

#include "headgate/upstream/h1_dialler.hpp"

namespace headgate::upstream {

/// The connections are made on `environment.loop`, when those that are open carry as many streams as they may. The
/// context of `tls` offers nothing but h2.
Dial h2_dialler(Environment environment, TlsUse tls = {});

}  // namespace headgate::upstream
