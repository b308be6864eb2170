#pragma once
// The files of the dashboard, as they are in this program.

#include <span>
#include <string_view>

namespace headgate::admin {

struct PageFile {
  std::string_view name;  ///< "app.js"
  std::string_view etag;  ///< with its quotes
  std::string_view bytes;
};

/// Sorted by name. "index.html" is the page itself.
std::span<const PageFile> page_files() noexcept;

}  // namespace headgate::admin
