#pragma once
// Writes the log line of an exchange in each format. Pure functions of a record.

#include "headgate/core/text_cursor.hpp"
#include "headgate/observe/access_fields.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace headgate::observe {

enum class Coloured : bool { no, yes };

/// Returns the maximum number of bytes of a line with these options, without the configured fields.
std::size_t most_of(const LogOptions& options) noexcept;
/// Returns the maximum number of bytes that these configured fields add to a line.
std::size_t most_of(std::span<const std::pair<std::string_view, std::string_view>> fields) noexcept;

/// Writes the line in the format of its options. `out` needs room for the sum of both most_of(). Text from the client
/// cannot make a line longer than Lane::kLongest: long texts are cut and end in an ellipsis.
///   json      an object with the fields that `options.fields` selects from the table
///   text      for people; a terminal shows the status in colour
///   combined  nginx's predefined format with its escapes; the query is included only if queries are logged
///   ecs       like json, with the names of the Elastic Common Schema
void write_line(TextCursor& out, const AccessLine& line, Coloured coloured);

// Write a line in the formats that are not JSON.
void write_text_line(TextCursor& out, const AccessLine& line, Coloured coloured);
void write_combined_line(TextCursor& out, const AccessLine& line);

}  // namespace headgate::observe
