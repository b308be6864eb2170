#pragma once
// Reads the files of a translation, within bounds, and remembers which.

#include "headgate/translate/translate.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace headgate::translate {

inline constexpr std::size_t kMaxBytes = 16U << 20U;  ///< of one file
inline constexpr std::size_t kMaxInAll = 64U << 20U;
inline constexpr std::size_t kMaxFiles = 1000;

class SourceFiles {
 public:
  /// The text of a file; "-" is stdin. Throws Unreadable, at `from` if something else names the file: it is not there,
  /// too large, or binary.
  std::string read(const std::string& path, const Spot& from = {});
  const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  std::vector<std::string> names_;
  std::size_t bytes_ = 0;
};

/// The files that `pattern` of glob(7) names, sorted; of a path without one of its characters that path, if it is
/// there.
std::vector<std::string> matching(const std::string& pattern);

/// The files of a folder with one of these ends of names, sorted; not those whose names begin with a dot.
std::vector<std::string> files_in(const std::string& folder, const std::vector<std::string>& ends);

}  // namespace headgate::translate
