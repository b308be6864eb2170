#pragma once
// Log lines as text and as JSON: pure functions of a record.

#include "headgate/observe/access_log.hpp"

#include <string>
#include <string_view>

namespace headgate::observe {

void append_json_line(const AccessRecord& record, Instant at, std::string& out);
void append_text_line(const AccessRecord& record, Instant at, std::string& out);
/// An event written as `event=name field=value … text`: its words become fields, the rest "message".
void append_json_event(std::string_view message, std::string_view level, Instant at, std::string& out);

/// The same for people: what follows the event's name where that is a sentence, else the name and its fields.
void append_text_event(std::string_view message, std::string_view level, Instant at, std::string& out);

}  // namespace headgate::observe
