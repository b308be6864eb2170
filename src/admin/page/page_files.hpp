#pragma once
// The files of the dashboard that are built into this program.

#include <span>
#include <string_view>

namespace headgate::admin {

struct PageFile {
  std::string_view name;  ///< For example "app.js".
  std::string_view etag;  ///< Entity tag, with its quotes.
  std::string_view bytes;
};

/// Returns the files, sorted by name. "index.html" is the page itself.
std::span<const PageFile> page_files() noexcept;

}  // namespace headgate::admin
