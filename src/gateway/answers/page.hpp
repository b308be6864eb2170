#pragma once
// What the pages of the gateway have in common: one file each, no scripts, nothing to load, readable in light and dark
// and for screen readers.

#include <string>
#include <string_view>

namespace headgate::gateway {

void replace_word(std::string& text, std::string_view word, std::string_view by);

/// The style of a page with these two accents, for light and dark.
std::string page_style(std::string_view light, std::string_view dark);

/// The Content-Security-Policy of a page that has only this style. Others may frame it as `frame_ancestors` says.
std::string page_policy(std::string_view style, std::string_view frame_ancestors);

/// The beginning of a page: what its head has everywhere, then `head`.
std::string page_beginning(std::string_view language, std::string_view head);

}  // namespace headgate::gateway
