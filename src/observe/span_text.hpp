#pragma once
// Spans as OTLP writes them in JSON: ids in hexadecimal, 64-bit numbers as texts, enumerations as numbers.

#include "headgate/observe/span_log.hpp"

#include <cstddef>
#include <string>

namespace headgate::observe {

/// Appends the spans of an exchange with commas between, and returns how many.
std::size_t append_spans(const ExchangeSpans& spans, std::string& out);

}  // namespace headgate::observe
