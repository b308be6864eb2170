#include "headgate/keyring/watched_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

namespace headgate::keyring {
namespace {

using Text = Result<std::string, std::string>;

class Descriptor {
 public:
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

bool same(const timespec& a, const timespec& b) noexcept { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

/// Compares the inode's change time too: no program can set it back.
bool same(const struct stat& a, const struct stat& b) noexcept {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size && same(a.st_mtim, b.st_mtim) &&
         same(a.st_ctim, b.st_ctim);
}

/// Whether a write from now on certainly changes the file's times. Their resolution is a tick of the kernel.
bool is_settled(const struct stat& file) noexcept {
  constexpr std::time_t kSettles = 2;
  const auto age = std::time(nullptr) - file.st_ctim.tv_sec;
  return age >= kSettles || age < 0;
}

Text failed(const std::string& path, int why) {
  return Text(boost::system::in_place_error, path + ": cannot be read: " + std::generic_category().message(why));
}

}  // namespace

std::optional<Text> WatchedFile::look() {
  struct stat now {};
  if (seen_ && ::stat(path_.c_str(), &now) == 0 && same(*seen_, now)) return std::nullopt;
  seen_.reset();
  auto text = read();
  if (text.has_error()) {
    digest_.reset();
    if (std::exchange(trouble_, text.error()) == text.error()) return std::nullopt;
    return text;
  }
  trouble_.clear();
  const auto digest = identity::sha256(*text);
  if (std::exchange(digest_, digest) == digest) return std::nullopt;
  return text;
}

Text WatchedFile::read() {
  // O_NONBLOCK: if the path is a pipe, do not wait for a writer.
  const Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat found {};
  if (file.get() < 0 || ::fstat(file.get(), &found) != 0) return failed(path_, errno);
  if (!S_ISREG(found.st_mode)) return Text(boost::system::in_place_error, path_ + ": is not a file");

  std::string text;
  std::array<char, 64UL * 1024> part;
  while (text.size() <= most_) {
    const auto got = ::read(file.get(), part.data(), std::min(part.size(), most_ + 1 - text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(path_, errno);
    if (got == 0) break;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  if (is_settled(found)) seen_ = found;
  return Text(boost::system::in_place_value, std::move(text));
}

}  // namespace headgate::keyring
