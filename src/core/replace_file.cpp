#include "headgate/core/replace_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

namespace headgate {
namespace {

std::string directory_of(const std::string& file) {
  const auto directory = std::filesystem::path(file).parent_path().string();
  return directory.empty() ? "." : directory;
}

/// Returns the target of symbolic links; `path` itself if there is no file yet.
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

/// A new file beside the file to replace. The destructor removes it unless it has replaced that file.
class Draft {
 public:
  explicit Draft(const std::string& target) : target_(target), path_(target + ".XXXXXX") {
    fd_ = ::mkostemp(path_.data(), O_CLOEXEC);  // creates it with mode 0600
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

constexpr auto kLongestWaitForLock = std::chrono::seconds(2);
constexpr auto kBetweenTries = std::chrono::milliseconds(10);

/// Opens the file to lock it; opens its directory if there is no file yet. Often only the owner of a file can open it.
int open_to_lock(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file >= 0 || errno != ENOENT) return file;
  return ::open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/// Returns whether `path` still names the file or directory that was opened for the lock.
bool is_still(const std::string& path, int fd) {
  struct stat open {};
  struct stat there {};
  if (::fstat(fd, &open) != 0) return false;
  if (::stat(path.c_str(), &there) != 0) return S_ISDIR(open.st_mode);
  return open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

}  // namespace

Result<FileLock, std::string> FileLock::take(const std::string& file) {
  const auto path = resolved(file);
  const auto end = std::chrono::steady_clock::now() + kLongestWaitForLock;
  while (true) {
    FileLock out(open_to_lock(path));
    if (out.fd_ < 0) return out;
    const bool locked = ::flock(out.fd_, LOCK_EX | LOCK_NB) == 0;
    const bool held_by_another = !locked && errno == EWOULDBLOCK;
    if (locked ? is_still(path, out.fd_) : !held_by_another) return out;
    if (std::chrono::steady_clock::now() >= end)
      return "another process has held the lock on " + file + " for two seconds";
    if (!locked) std::this_thread::sleep_for(kBetweenTries);
  }
}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileLock::~FileLock() {
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
