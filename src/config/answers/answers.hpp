#pragma once
// What the gateway's own answers say: the bodies of problems, and pages of the user.

#include "config/build.hpp"

#include "headgate/gateway/own_answers.hpp"

#include <string>
#include <string_view>

namespace headgate::config {

/// The largest text of the user: each refused request may get it.
inline constexpr std::size_t kLargestPage = std::size_t{64} * 1024;

/// The text as a body of this type, which escape_of_type() knows. Reports what is wrong with it at `written`, and calls
/// it `name`; null then.
gateway::BodyTemplatePtr read_page(Build& build, const Node& written, std::string_view name, std::string_view text,
                                   std::string content_type);
/// The same from the file that `written` names, of which the type is that of its name.
gateway::BodyTemplatePtr read_page_file(Build& build, const Node& written, std::string content_type);

/// "text/html; charset=utf-8" for ".html"; empty for a name that says none of the types that have variables.
std::string page_type_of(std::string_view file);

}  // namespace headgate::config
