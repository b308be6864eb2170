#pragma once
// Makes the spans of an exchange that is recorded.

#include "headgate/gateway/exchange.hpp"
#include "headgate/observe/span_log.hpp"

namespace headgate::gateway {

/// x.trace must be recorded. `record` is that of the exchange.
void write_spans(const Exchange& x, const observe::AccessRecord& record, const Tracing& tracing,
                 observe::SpanLog& spans);

}  // namespace headgate::gateway
