#pragma once
// Log lines of exchanges as text and as JSON: pure functions of a record.

#include "headgate/observe/access_log.hpp"

#include <string>

namespace headgate::observe {

/// Appends a line of at most Lane::kLongest bytes, whatever a caller sent; longer texts are cut and end in an ellipsis.
/// `options.key` must be set.
void append_json_line(const AccessRecord& record, const LogOptions& options, Instant at, std::string& out);
void append_text_line(const AccessRecord& record, const LogOptions& options, Instant at, std::string& out);

}  // namespace headgate::observe
