#include "headgate/core/replace_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace headgate {
namespace {

std::string directory_of(const std::string& file) {
  const auto directory = std::filesystem::path(file).parent_path().string();
  return directory.empty() ? "." : directory;
}

/// The target of symbolic links; `path` itself if there is no file yet.
std::string resolved(const std::string& path) {
  std::error_code unknown;
  const auto target = std::filesystem::canonical(path, unknown);
  return unknown ? path : target.string();
}

bool write_all_bytes(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// A new file beside the one to replace. The destructor removes it, unless it has replaced that file.
class Draft {
 public:
  explicit Draft(const std::string& target) : target_(target), path_(target + ".XXXXXX") {
    fd_ = ::mkostemp(path_.data(), O_CLOEXEC);  // 0600
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    if (fd_ < 0) return;
    ::close(fd_);
    if (!placed_) ::unlink(path_.c_str());
  }

  bool opened() const { return fd_ >= 0; }

  bool write(std::string_view text) const { return write_all_bytes(fd_, text); }

  /// Copies owner and mode, so that the gateway can read the new file if it could read the old one.
  bool take_rights(unsigned if_new) {
    struct stat old {};
    if (::stat(target_.c_str(), &old) != 0) return errno == ENOENT && ::fchmod(fd_, if_new) == 0;
    const bool ours = old.st_uid == ::geteuid() && old.st_gid == ::getegid();
    if (!ours && ::fchown(fd_, old.st_uid, old.st_gid) != 0) return false;
    return ::fchmod(fd_, old.st_mode & 07777U) == 0;
  }

  bool store() const { return ::fsync(fd_) == 0; }

  bool place() {
    if (::rename(path_.c_str(), target_.c_str()) != 0) return false;
    placed_ = true;
    const int directory = ::open(directory_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
      ::fsync(directory);  // the rename is already visible; this makes it survive a power cut
      ::close(directory);
    }
    return true;
  }

 private:
  std::string target_;
  std::string path_;
  int fd_ = -1;
  bool placed_ = false;
};

}  // namespace

DirectoryLock::DirectoryLock(const std::string& file)
    : fd_(::open(directory_of(resolved(file)).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (fd_ >= 0) ::flock(fd_, LOCK_EX);
}

DirectoryLock::~DirectoryLock() {
  if (fd_ >= 0) ::close(fd_);
}

std::optional<std::string> replace_file(const std::string& path, std::string_view text, unsigned if_new,
                                        const std::function<bool()>& last_look) {
  Draft draft(resolved(path));
  if (draft.opened() && draft.write(text) && draft.take_rights(if_new) && draft.store()) {
    if (last_look && !last_look()) return path + " has changed meanwhile";
    if (draft.place()) return std::nullopt;
  }
  return "cannot write " + path + ": " + std::strerror(errno);
}

std::optional<std::string> create_file(const std::string& path, std::string_view text, unsigned mode) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  const bool written = fd >= 0 && write_all_bytes(fd, text);
  const int why = errno;
  if (fd >= 0) ::close(fd);
  if (written) return std::nullopt;
  if (fd >= 0) ::unlink(path.c_str());
  return "cannot write " + path + ": " + std::strerror(why);
}

}  // namespace headgate
