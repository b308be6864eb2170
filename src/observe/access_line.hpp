#pragma once
// Log lines of exchanges in each format: pure functions of a record.

#include "headgate/core/text_cursor.hpp"
#include "headgate/observe/access_log.hpp"

#include <string>

namespace headgate::observe {

enum class Coloured : bool { no, yes };

/// The most bytes that any of the functions below writes of this record.
std::size_t most_of(const AccessRecord& record, const LogOptions& options) noexcept;

/// Writes the line in the format of the options, where there is room for most_of() bytes.
void write_line(TextCursor& out, const AccessRecord& record, const LogOptions& options, Instant at,
                std::uint64_t dropped, Coloured coloured);

// Each appends a line of at most Lane::kLongest bytes, whatever a caller sent; longer texts are cut and end in an
// ellipsis. `options.key` must be set. `dropped`: how many lines like this one were left out before it.

/// One object with the fields of the table that options.fields has.
void append_json_line(const AccessRecord& record, const LogOptions& options, Instant at, std::string& out,
                      std::uint64_t dropped = 0);
/// For people. A terminal sees the status in a colour.
void append_text_line(const AccessRecord& record, const LogOptions& options, Instant at, std::string& out,
                      std::uint64_t dropped = 0, Coloured coloured = Coloured::no);
/// As nginx's predefined format `combined` has it, with its escapes; a query only where it is logged.
void append_combined_line(const AccessRecord& record, const LogOptions& options, Instant at, std::string& out);
/// The same as JSON under the names of the Elastic Common Schema.
void append_ecs_line(const AccessRecord& record, const LogOptions& options, Instant at, std::string& out,
                     std::uint64_t dropped = 0);

}  // namespace headgate::observe
