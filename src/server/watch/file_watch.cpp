#include "file_watch.hpp"

#include "headgate/config/included.hpp"

#include <algorithm>
#include <utility>

namespace headgate::server {
namespace {

constexpr auto kPace = std::chrono::milliseconds(500);
constexpr int kShare = 20;  // checks take at most 1/kShare of the time

bool same_time(const timespec& a, const timespec& b) noexcept { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

/// Also compares the inode's change time, which no program can set back.
bool same_file(const struct stat& a, const struct stat& b) noexcept {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size && same_time(a.st_mtim, b.st_mtim) &&
         same_time(a.st_ctim, b.st_ctim);
}

}  // namespace

FileWatch::States FileWatch::states_of(const std::vector<std::string>& paths) {
  States out;
  for (const auto& path : paths) {
    for (auto& file : config::files_for(path).files) {
      struct stat state {};
      if (::stat(file.c_str(), &state) == 0) out.emplace(std::move(file), state);
    }
  }
  return out;
}

bool FileWatch::same(const States& a, const States& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return one.first == other.first && same_file(one.second, other.second);
  });
}

FileWatch::FileWatch(Clock& clock, std::vector<std::string> paths, std::function<void()> changed)
    : clock_(clock),
      alarm_(clock.alarm([](void* self) { static_cast<FileWatch*>(self)->look(); }, this)),
      paths_(std::move(paths)),
      changed_(std::move(changed)),
      known_(states_of(paths_)),
      seen_(known_) {}

void FileWatch::watch(std::vector<std::string> paths, std::chrono::system_clock::time_point read) {
  paths_ = std::move(paths);
  const auto now = states_of(paths_);
  std::erase_if(known_, [&](const auto& each) { return !now.contains(each.first); });
  for (const auto& [path, state] : now) {
    const auto changed = std::chrono::system_clock::time_point(std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::seconds(state.st_ctim.tv_sec) + std::chrono::nanoseconds(state.st_ctim.tv_nsec)));
    // The kernel's clock for file times may be a few milliseconds late, so a change just before `read` counts as a
    // change after it.
    if (changed + std::chrono::milliseconds(20) < read) known_.insert_or_assign(path, state);
  }
}

void FileWatch::arm(Duration took) {
  if (!stopped_) alarm_->set(std::max<Duration>(kPace, took * kShare));
}

void FileWatch::look() {
  const auto begun = clock_.steady();
  auto now = states_of(paths_);
  // While the first file is missing, nothing is reported: some editors remove a file before they write the new one.
  const bool settled = now.contains(paths_.front()) && same(now, seen_);
  seen_ = std::move(now);
  const auto took = std::chrono::duration_cast<Duration>(clock_.steady() - begun);
  if (settled && !same(seen_, known_)) {
    known_ = seen_;
    changed_();
  }
  arm(took);
}

}  // namespace headgate::server
