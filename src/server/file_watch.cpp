#include "file_watch.hpp"

#include <chrono>
#include <utility>

namespace headgate::server {
namespace {

constexpr auto kPace = std::chrono::milliseconds(500);

std::optional<struct stat> state_of(const std::string& path) {
  struct stat out {};
  if (::stat(path.c_str(), &out) != 0) return std::nullopt;
  return out;
}

bool same(const timespec& a, const timespec& b) noexcept { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

/// Compares the inode's change time too: no program can set it back.
bool same(const std::optional<struct stat>& a, const std::optional<struct stat>& b) noexcept {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size && same(a->st_mtim, b->st_mtim) &&
         same(a->st_ctim, b->st_ctim);
}

}  // namespace

FileWatch::FileWatch(boost::asio::io_context& loop, std::string path, std::function<void()> changed)
    : timer_(loop), path_(std::move(path)), changed_(std::move(changed)), known_(state_of(path_)), seen_(known_) {}

void FileWatch::arm() {
  timer_.expires_after(kPace);
  timer_.async_wait([this](const boost::system::error_code& ec) {
    if (!ec) look();
  });
}

void FileWatch::stop() { timer_.cancel(); }

void FileWatch::look() {
  const auto now = state_of(path_);
  // A file that is gone will be back: some editors remove it before they write the next one.
  const bool settled = now && same(now, seen_);
  seen_ = now;
  if (settled && !same(now, known_)) {
    known_ = now;
    changed_();
  }
  arm();
}

}  // namespace headgate::server
