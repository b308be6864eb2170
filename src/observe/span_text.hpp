#pragma once
// Spans in the JSON encoding of OTLP: ids in hexadecimal, 64-bit numbers as texts, enumerations as numbers.

#include "headgate/observe/span_log.hpp"

#include <cstddef>
#include <string>

namespace headgate::observe {

/// Appends the spans of an exchange, separated by commas, and returns their number.
std::size_t append_spans(const ExchangeSpans& spans, std::string& out);

}  // namespace headgate::observe
