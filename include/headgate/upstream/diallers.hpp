#pragma once
// HTTP/1.1 on pooled connections, plain or over TLS.

#include "headgate/net/tls/tls_context.hpp"
#include "headgate/observe/counters.hpp"
#include "headgate/upstream/dialler.hpp"
#include "headgate/upstream/environment.hpp"

#include <memory>

namespace headgate::upstream {

/// How the servers of one upstream are reached over TLS. `context` is null for plain HTTP; else it was made from
/// ServerGroupOptions::tls, and the counters are those of this worker.
struct TlsUse {
  std::shared_ptr<const net::TlsContext> context;
  observe::UpstreamHandshakeCounters counters;
};

/// The connections are made on `environment.loop`, when needed.
Dial h1_dialler(Environment environment, TlsUse tls = {});
/// The connections are made on `environment.loop`, when those that are open carry as many streams as they may. The
/// context of `tls` offers nothing but h2.
Dial h2_dialler(Environment environment, TlsUse tls = {});

}  // namespace headgate::upstream
