#pragma once
// Log lines of exchanges in each format: pure functions of a record.

#include "headgate/core/text_cursor.hpp"
#include "headgate/observe/access_fields.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace headgate::observe {

enum class Coloured : bool { no, yes };

/// The most bytes of a line with these options, without the fields that the configuration names.
std::size_t most_of(const LogOptions& options) noexcept;
/// The most bytes that those fields become.
std::size_t most_of(std::span<const std::pair<std::string_view, std::string_view>> fields) noexcept;

/// Writes the line in the format of its options, where there is room for most_of() of both. What a caller sends makes
/// it no longer than Lane::kLongest: texts that are too long are cut and end in an ellipsis.
///   json      an object with the fields of the table that `options.fields` has
///   text      for people. A terminal sees the status in a colour
///   combined  as nginx's predefined format has it, with its escapes; a query only where it is logged
///   ecs       the same as JSON under the names of the Elastic Common Schema
void write_line(TextCursor& out, const AccessLine& line, Coloured coloured);

// The formats that are no JSON.
void write_text_line(TextCursor& out, const AccessLine& line, Coloured coloured);
void write_combined_line(TextCursor& out, const AccessLine& line);

}  // namespace headgate::observe
