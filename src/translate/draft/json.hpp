#pragma once
// JSON values of a headgate file as text.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::translate {

/// Returns a JSON string. Escapes "${…}", which headgate would read as a variable: text from another product must not
/// name a variable or a file.
std::string json_text(std::string_view text);
/// Returns a JSON string in which "${…}" stays a variable. Only for text that the importer itself writes.
std::string json_with_variables(std::string_view text);

/// Returns `["a", "b"]` from JSON values.
std::string list_of(const std::vector<std::string>& values);
/// Returns `["a", "b"]` from plain texts.
std::string texts_of(const std::vector<std::string>& texts);
/// Returns `"a"` for one text and `["a", "b"]` for several.
std::string text_or_list(const std::vector<std::string>& texts);
/// Returns `{ "key": value }` from JSON values.
std::string object_of(const std::vector<std::pair<std::string, std::string>>& members);

/// Returns `"30/minute"`, with count and unit as they were written.
std::string rate_of(std::uint64_t count, std::string_view unit);
/// Returns the shortest form, such as `"1500ms"` or `"2s"`.
std::string milliseconds(std::uint64_t count);

/// Returns the text in a form for comments: on one line, printable, and of bounded length.
std::string one_line(std::string_view text, std::size_t most = 160);

}  // namespace headgate::translate
