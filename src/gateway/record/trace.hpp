#pragma once
// Trace Context of an exchange: which trace it belongs to, and what its server is told of that.

#include "headgate/gateway/exchange.hpp"

namespace headgate::gateway {

/// Finds the trace that the caller names, or begins one; sets x.trace.
void begin_trace(Exchange& x, const Tracing& tracing);

/// Replaces `traceparent` and `tracestate` in the fields for the server. x.trace must be set.
void replace_trace_fields(const Exchange& x, http::Fields& out);

/// An attempt begins: its span is what the server is told as its parent. x.trace must be set.
void begin_attempt(Exchange& x);
/// The attempt under way ends. `status` is that of its answer; 0: there was none. `failure` says in one word, which
/// lives on, why there was none, or no whole one; empty if nothing failed.
void end_attempt(Exchange& x, unsigned status, std::string_view failure);

}  // namespace headgate::gateway
