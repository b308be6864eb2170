#pragma once
// Log lines of exchanges as text and as JSON: pure functions of a record.

#include "headgate/observe/access_log.hpp"

#include <string>

namespace headgate::observe {

/// No longer than Lane::kLongest, whatever a caller sent: what is too long to be told whole ends in an ellipsis.
/// `options.key` is there.
void append_json_line(const AccessRecord& record, const LogOptions& options, Instant at, std::string& out);
void append_text_line(const AccessRecord& record, const LogOptions& options, Instant at, std::string& out);

}  // namespace headgate::observe
