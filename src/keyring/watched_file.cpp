#include "headgate/keyring/watched_file.hpp"

#include "headgate/core/read_file.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

namespace headgate::keyring {
namespace {

using Text = Result<std::string, std::string>;

bool same(const timespec& a, const timespec& b) noexcept { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

/// Also compares the inode's change time (ctime), which no program can set back.
bool same(const struct stat& a, const struct stat& b) noexcept {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size && same(a.st_mtim, b.st_mtim) &&
         same(a.st_ctim, b.st_ctim);
}

/// Returns whether any later write certainly changes the file's times, whose resolution is a kernel tick.
bool is_settled(const struct stat& file) noexcept {
  constexpr std::time_t kSettles = 2;
  const auto age = std::time(nullptr) - file.st_ctim.tv_sec;
  return age >= kSettles || age < 0;
}

Text failed(const std::string& path, const FileTrouble& trouble) {
  if (trouble.kind != FileTrouble::Kind::system)
    return Text(boost::system::in_place_error, path + ": is not a regular file");
  return Text(boost::system::in_place_error, path + ": cannot be read: " + trouble.text());
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
  auto file = InputFile::open(path_, Pipes::refused);
  if (file.has_error()) return failed(path_, file.error());
  std::string text;
  std::array<char, 64UL * 1024> part;
  while (text.size() <= most_) {
    const auto got = file->read(part.data(), std::min(part.size(), most_ + 1 - text.size()));
    if (got.has_error()) return failed(path_, got.error());
    if (*got == 0) break;
    text.append(part.data(), *got);
  }
  if (is_settled(file->about())) seen_ = file->about();
  return Text(boost::system::in_place_value, std::move(text));
}

}  // namespace headgate::keyring
