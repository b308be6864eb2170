#pragma once
// Looks at a file from time to time. The file may be replaced, rewritten or deleted at any moment.

#include "headgate/core/result.hpp"
#include "headgate/identity/sha256.hpp"

#include <sys/stat.h>

#include <cstddef>
#include <optional>
#include <string>

namespace headgate::keyring {

/// One thread; blocks as long as the disk does.
class WatchedFile {
 public:
  /// Reads at most `most` bytes, and one more to detect that there are more.
  WatchedFile(std::string path, std::size_t most) : path_(std::move(path)), most_(most) {}

  /// The text of the file, or why it cannot be read; nothing if this is the same as at the last look. The error is a
  /// sentence without its dot that begins with the path. Follows symbolic links, so their targets may change too.
  std::optional<Result<std::string, std::string>> look();

  const std::string& path() const noexcept { return path_; }

 private:
  Result<std::string, std::string> read();

  std::string path_;
  std::size_t most_;
  std::optional<struct stat> seen_;         // of the last read; empty if the next look must read in any case
  std::optional<identity::Sha256> digest_;  // of the last text
  std::string trouble_;                     // why the last look could not read it
};

}  // namespace headgate::keyring
