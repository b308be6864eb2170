#pragma once
// A directory for the files of one measurement.

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace headgate::bench {

/// A directory under /tmp that goes with this.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make a directory under /tmp");
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_ = "/tmp/headgate-bench-XXXXXX";
};

}  // namespace headgate::bench
