#pragma once
// Trace Context: finds the trace that an exchange belongs to, sets the context that its server gets, and writes the
// spans of a recorded exchange.

#include "headgate/gateway/exchange.hpp"
#include "headgate/observe/span_log.hpp"

namespace headgate::gateway {

/// Finds the trace that the caller names, or begins a new one; sets x.trace.
void begin_trace(Exchange& x, const Tracing& tracing);

/// Replaces `traceparent` and `tracestate` in the fields for the server. x.trace must be set.
void replace_trace_fields(const Exchange& x, http::Fields& out);

/// Begins an attempt. The server gets the attempt's span as the parent. x.trace must be set.
void begin_attempt(Exchange& x);
/// Ends the attempt under way. `status` is that of its answer; 0 if there was none. `failure` is a constant word for
/// the reason why there was no complete answer; empty if nothing failed.
void end_attempt(Exchange& x, unsigned status, std::string_view failure);

/// Writes the spans. x.trace must be recorded. `record` is the record of the exchange.
void write_spans(const Exchange& x, const observe::AccessRecord& record, const Tracing& tracing,
                 observe::SpanLog& spans);

}  // namespace headgate::gateway
