#include "report_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace headgate::cli {
namespace {

constexpr off_t kLongestTail = 8192;  // more than the longest line

std::string system_error(const std::string& what, const std::string& path) {
  return what + ' ' + path + ": " + std::strerror(errno);
}

}  // namespace

ReportFile::ReportFile(ReportFile&& other) noexcept
    : path_(std::move(other.path_)),
      part_(std::move(other.part_)),
      last_line_(std::move(other.last_line_)),
      fd_(std::exchange(other.fd_, -1)) {}

ReportFile::~ReportFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<ReportFile, std::string> ReportFile::open(const std::string& path, Begin begin) {
  using Opened = Result<ReportFile, std::string>;
  const auto fail = [](std::string why) { return Opened(boost::system::in_place_error, std::move(why)); };
  ReportFile out(path);
  out.fd_ = ::open(out.part_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (out.fd_ < 0) return fail(system_error("cannot write", out.part_));
  if (::flock(out.fd_, LOCK_EX | LOCK_NB) != 0) return fail("another run writes " + out.part_ + " at the moment");
  // Another run may have finished the file between open() and flock(). Then the name belongs to another file, or to
  // none.
  struct stat opened {};
  struct stat named {};
  if (::fstat(out.fd_, &opened) != 0 || ::stat(out.part_.c_str(), &named) != 0 || opened.st_ino != named.st_ino)
    return fail("another run has just written " + path);
  if (begin == Begin::anew && ::ftruncate(out.fd_, 0) != 0) return fail(system_error("cannot write", out.part_));
  if (auto why = out.cut_half_line()) return fail(std::move(*why));
  return Opened(boost::system::in_place_value, std::move(out));
}

std::optional<std::string> ReportFile::cut_half_line() {
  const auto size = ::lseek(fd_, 0, SEEK_END);
  const auto length = std::min(size, kLongestTail);
  std::string tail(static_cast<std::size_t>(std::max<off_t>(length, 0)), '\0');
  if (size < 0 || ::pread(fd_, tail.data(), tail.size(), size - length) != length)
    return system_error("cannot read", part_);
  const auto end = tail.rfind('\n');
  const auto kept = end == std::string::npos ? 0 : end + 1;
  if (kept == 0 && length < size) return part_ + " is not a part of a report: remove it";
  if (::ftruncate(fd_, size - length + static_cast<off_t>(kept)) != 0) return system_error("cannot write", part_);
  if (kept == 0) return std::nullopt;
  const auto before = end == 0 ? std::string::npos : tail.rfind('\n', end - 1);
  if (before == std::string::npos && length < size) return part_ + " is not a part of a report: remove it";
  const auto begin = before == std::string::npos ? 0 : before + 1;
  last_line_ = tail.substr(begin, end - begin);
  return std::nullopt;
}

std::optional<std::string> ReportFile::append(std::string_view lines) const {
  while (!lines.empty()) {
    const auto written = ::write(fd_, lines.data(), lines.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error("cannot write", part_);
    lines.remove_prefix(static_cast<std::size_t>(written));
  }
  return std::nullopt;
}

std::optional<std::string> ReportFile::finish() const {
  if (::fsync(fd_) != 0 || ::rename(part_.c_str(), path_.c_str()) != 0) return system_error("cannot write", path_);
  const auto folder = std::filesystem::path(path_).parent_path().string();
  const int directory = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
  return std::nullopt;
}

}  // namespace headgate::cli
