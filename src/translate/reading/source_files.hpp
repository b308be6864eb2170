#pragma once
// Reads files within size limits and records their names.

#include "headgate/translate/translate.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace headgate::translate {

inline constexpr std::size_t kMaxBytes = 16U << 20U;  ///< limit for one file
inline constexpr std::size_t kMaxInAll = 64U << 20U;
inline constexpr std::size_t kMaxFiles = 1000;

class SourceFiles {
 public:
  /// Returns the contents of a file; "-" is stdin. Throws Unreadable if the file does not exist, is too large, or is
  /// binary. `from` is the place that names the file, if another file does.
  std::string read(const std::string& path, const Spot& from = {});
  const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  std::vector<std::string> names_;
  std::size_t bytes_ = 0;
};

/// Returns the files that match a glob(7) pattern, sorted. A path without pattern characters is returned if it exists.
std::vector<std::string> matching(const std::string& pattern);

/// Returns the files of a folder whose names end in one of `ends`, sorted, without hidden files.
std::vector<std::string> files_in(const std::string& folder, const std::vector<std::string>& ends);

}  // namespace headgate::translate
