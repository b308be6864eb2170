#pragma once
// The gateway's own answers: bodies of problems, and pages written by the user.

#include "config/build.hpp"

#include "headgate/gateway/own_answers.hpp"

#include <string>
#include <string_view>

namespace headgate::config {

/// Maximum size of a user's page, in bytes. It is small because every rejected request may get the page.
inline constexpr std::size_t kLargestPage = std::size_t{64} * 1024;

/// Returns `text` as a body of the type `content_type`, for which escape_of_type() must have an escape. Reports
/// mistakes at `written`, where the text is called `name`. Returns null if there are mistakes.
gateway::BodyTemplatePtr read_page(Build& build, const Node& written, std::string_view name, std::string_view text,
                                   std::string content_type);
/// Reads the file that `written` names, and returns its text as read_page() does.
gateway::BodyTemplatePtr read_page_file(Build& build, const Node& written, std::string content_type);

/// Returns the content type for the name of a file: "text/html; charset=utf-8" for ".html". Empty if the name belongs
/// to no type in which variables are possible.
std::string page_type_of(std::string_view file);

}  // namespace headgate::config
