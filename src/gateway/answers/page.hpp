#pragma once
// The common parts of the gateway's pages. Each page is a single file without scripts that loads nothing, and is
// readable in light and dark and with screen readers.

#include <string>
#include <string_view>

namespace headgate::gateway {

void replace_word(std::string& text, std::string_view word, std::string_view by);

/// Returns the style of a page with these accent colours for light and dark.
std::string page_style(std::string_view light, std::string_view dark);

/// Returns the Content-Security-Policy of a page that has only this style. `frame_ancestors` names the sites that may
/// show the page in a frame.
std::string page_policy(std::string_view style, std::string_view frame_ancestors);

/// Returns the beginning of a page: the part of the head that all pages share, then `head`.
std::string page_beginning(std::string_view language, std::string_view head);

}  // namespace headgate::gateway
