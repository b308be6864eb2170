#pragma once
// A file that may be replaced, rewritten, or gone at any moment, looked at from time to time.

#include "headgate/core/result.hpp"
#include "headgate/identity/sha256.hpp"

#include <sys/stat.h>

#include <cstddef>
#include <optional>
#include <string>

namespace headgate::keyring {

/// One thread; blocks for as long as the disk takes.
class WatchedFile {
 public:
  /// Not more than `most` bytes are read, and one that tells that there are more.
  WatchedFile(std::string path, std::size_t most) : path_(std::move(path)), most_(most) {}

  /// Its text, or why it cannot be read, where that is not what the last look found; the error is a sentence without
  /// its dot that begins with the path. Follows symbolic links, so that what they point to may change too.
  std::optional<Result<std::string, std::string>> look();

  const std::string& path() const noexcept { return path_; }

 private:
  Result<std::string, std::string> read();

  std::string path_;
  std::size_t most_;
  std::optional<struct stat> seen_;         // of what was read last; nothing where it must be read whatever it is
  std::optional<identity::Sha256> digest_;  // of the text found last
  std::string trouble_;                     // what kept us from reading it
};

}  // namespace headgate::keyring
