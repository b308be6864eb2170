#include "headgate/core/read_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

namespace headgate {
namespace {

constexpr auto kLongestWaitForWriter = std::chrono::seconds(1);
constexpr auto kBetweenLooks = std::chrono::milliseconds(20);
constexpr std::size_t kPart = 64UL * 1024;

FileTrouble system_trouble() { return {.kind = FileTrouble::Kind::system, .error = errno}; }

bool is_endless(const struct stat& about, int descriptor) noexcept {
  if (!S_ISCHR(about.st_mode)) return S_ISBLK(about.st_mode);
  const bool null_device = about.st_rdev == ::makedev(1, 3);
  return !null_device && ::isatty(descriptor) != 1;
}

}  // namespace

std::string FileTrouble::text() const {
  switch (kind) {
    case Kind::directory:
      return "it is a directory";
    case Kind::not_regular:
      return "it is not a regular file";
    case Kind::no_writer:
      return "it is a pipe that nobody writes to";
    case Kind::too_large:
      return "it is too large";
    case Kind::system:
      break;
  }
  return std::generic_category().message(error);
}

Result<InputFile, FileTrouble> InputFile::open(const std::string& path, Pipes pipes) {
  // O_NONBLOCK, because opening a pipe would otherwise wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat about {};
  if (descriptor < 0) return system_trouble();
  InputFile out(descriptor, about);
  if (::fstat(descriptor, &out.about_) != 0) return system_trouble();
  if (S_ISREG(out.about_.st_mode)) return out;
  if (S_ISDIR(out.about_.st_mode)) return FileTrouble{.kind = FileTrouble::Kind::directory};
  if (pipes == Pipes::refused || is_endless(out.about_, descriptor))
    return FileTrouble{.kind = FileTrouble::Kind::not_regular};
  return out;
}

InputFile InputFile::standard_input() noexcept {
  InputFile out(STDIN_FILENO, {});
  out.begun_ = true;
  if (::fstat(STDIN_FILENO, &out.about_) != 0) out.about_ = {};
  return out;
}

InputFile::InputFile(InputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), about_(other.about_), begun_(other.begun_) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  auto taken = std::move(other);
  std::swap(descriptor_, taken.descriptor_);
  about_ = taken.about_;
  begun_ = taken.begun_;
  return *this;
}

InputFile::~InputFile() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

Result<std::size_t, FileTrouble> InputFile::read(char* out, std::size_t size) {
  const auto end = std::chrono::steady_clock::now() + kLongestWaitForWriter;
  while (true) {
    const auto got = ::read(descriptor_, out, size);
    if (got < 0 && errno == EINTR) continue;
    // EAGAIN means that a pipe is empty. A file in /proc may return it as well, and there it is an error.
    const bool is_empty = got < 0 && errno == EAGAIN && !S_ISREG(about_.st_mode);
    if (got < 0 && !is_empty) return system_trouble();
    if (got < 0) {
      begun_ = true;
      pollfd wanted{descriptor_, POLLIN, 0};
      ::poll(&wanted, 1, -1);
      continue;
    }
    begun_ = begun_ || got > 0 || !S_ISFIFO(about_.st_mode);
    if (begun_) return static_cast<std::size_t>(got);
    if (std::chrono::steady_clock::now() >= end) return FileTrouble{.kind = FileTrouble::Kind::no_writer};
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

Result<std::string, FileTrouble> read_file(const std::string& path, std::size_t most, Pipes pipes) {
  auto file = InputFile::open(path, pipes);
  if (file.has_error()) return file.error();
  std::string text;
  if (const auto size = file->about().st_size; size > 0)
    text.reserve(std::min(static_cast<std::size_t>(size), most) + 1);
  std::array<char, kPart> part;
  while (true) {
    const auto got = file->read(part.data(), std::min(part.size(), most + 1 - text.size()));
    if (got.has_error()) return got.error();
    if (*got == 0) return text;
    text.append(part.data(), *got);
    if (text.size() > most) return FileTrouble{.kind = FileTrouble::Kind::too_large};
  }
}

std::string why_unreadable(const std::string& path, std::size_t most) {
  const auto file = InputFile::open(path, Pipes::refused);
  if (file.has_error()) return file.error().text();
  const bool fits = static_cast<std::uint64_t>(file->about().st_size) <= most;
  return fits ? std::string() : FileTrouble{.kind = FileTrouble::Kind::too_large}.text();
}

}  // namespace headgate
