#pragma once
// Trace Context of an exchange: which trace it belongs to, what its server is told of that, and the spans of an
// exchange that is recorded.

#include "headgate/gateway/exchange.hpp"
#include "headgate/observe/span_log.hpp"

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

/// Makes the spans. x.trace must be recorded. `record` is that of the exchange.
void write_spans(const Exchange& x, const observe::AccessRecord& record, const Tracing& tracing,
                 observe::SpanLog& spans);

}  // namespace headgate::gateway
