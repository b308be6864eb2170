#pragma once
// Values of a headgate file as text.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::translate {

/// A JSON string. What is a variable in a headgate file ("${…}") is text here: nothing that was read from elsewhere may
/// name a variable or a file.
std::string json_text(std::string_view text);
/// A JSON string whose "${…}" stay variables. Only for texts of our own.
std::string json_with_variables(std::string_view text);

/// `["a", "b"]` of JSON values.
std::string list_of(const std::vector<std::string>& values);
/// `["a", "b"]` of texts.
std::string texts_of(const std::vector<std::string>& texts);
/// `"a"`, or `["a", "b"]` of several.
std::string text_or_list(const std::vector<std::string>& texts);
/// `{ "key": value }` of JSON values.
std::string object_of(const std::vector<std::pair<std::string, std::string>>& members);

/// `"30/minute"`: count and unit as they were written.
std::string rate_of(std::uint64_t count, std::string_view unit);
/// `"1500ms"`, `"2s"`: the shortest form.
std::string milliseconds(std::uint64_t count);

/// As a comment may have it: on one line, printable, and of bounded length.
std::string one_line(std::string_view text, std::size_t most = 160);

}  // namespace headgate::translate
