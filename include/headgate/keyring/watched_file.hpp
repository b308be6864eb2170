#pragma once
// Checks a file for changes from time to time. The file may be replaced, rewritten or deleted at any moment.

#include "headgate/core/result.hpp"
#include "headgate/identity/sha256.hpp"

#include <sys/stat.h>

#include <cstddef>
#include <optional>
#include <string>

namespace headgate::keyring {

/// A file that is checked for changes. One thread; a call blocks until the disk has answered.
class WatchedFile {
 public:
  /// Reads at most `most` bytes, plus one to detect that there are more.
  WatchedFile(std::string path, std::size_t most) : path_(std::move(path)), most_(most) {}

  /// Returns the text of the file, or why it cannot be read; nothing if the result is the same as last time. The error
  /// is a sentence without its full stop that begins with the path. Symbolic links are followed; their targets may
  /// change as well.
  std::optional<Result<std::string, std::string>> look();

  const std::string& path() const noexcept { return path_; }

 private:
  Result<std::string, std::string> read();

  std::string path_;
  std::size_t most_;
  std::optional<struct stat>
      seen_;  // State of the file at the last read; empty if the next call must read the file in any case.
  std::optional<identity::Sha256> digest_;  // Digest of the last text.
  std::string trouble_;                     // Reason why the last call could not read the file.
};

}  // namespace headgate::keyring
