#pragma once
// Creates the diallers of all protocols: HTTP/1.1 and HTTP/2 on pooled connections, with or without TLS. Used by
// server.

#include "headgate/net/tls/tls_context.hpp"
#include "headgate/observe/counters.hpp"
#include "headgate/upstream/dialler.hpp"
#include "headgate/upstream/environment.hpp"

#include <memory>

namespace headgate::upstream {

/// The TLS settings for the servers of one upstream. `context` is null for plain HTTP; otherwise it was made from
/// ServerGroupOptions::tls, and the counters are those of this worker.
struct TlsUse {
  std::shared_ptr<const net::TlsContext> context;
  observe::UpstreamHandshakeCounters counters;
};

/// Creates a dialler that makes HTTP/1.1 connections on `environment.loop` when they are needed.
Dial h1_dialler(Environment environment, TlsUse tls = {});
/// Creates a dialler that makes HTTP/2 connections on `environment.loop` when the open ones carry as many streams as
/// they can. The context of `tls` must offer only h2.
Dial h2_dialler(Environment environment, TlsUse tls = {});

}  // namespace headgate::upstream
