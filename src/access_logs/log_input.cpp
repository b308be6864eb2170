#include "log_input.hpp"

#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace headgate::access_logs {
namespace {

constexpr std::size_t kAhead = std::size_t{64} * 1024;
constexpr std::string_view kGzip = "\x1f\x8b";
constexpr std::size_t kMagic = 6;   // bytes of the longest magic number
constexpr int kGzipOnly = 15 + 16;  // the largest window, and only data with gzip's frame

struct OtherPacking {
  std::string_view magic;
  const char* why;
};
constexpr std::array<OtherPacking, 4> kOthers{{
    {"\x28\xb5\x2f\xfd", "is compressed by zstd: unpack it first, as in zstdcat FILE | headgate simulate --log -"},
    {"\xfd"
     "7zXZ",
     "is compressed by xz: unpack it first, as in xzcat FILE | headgate simulate --log -"},
    {"BZh", "is compressed by bzip2: unpack it first, as in bzcat FILE | headgate simulate --log -"},
    {"PK\x03\x04", "is a zip archive: unpack it first"},
}};

}  // namespace

struct LogInput::Unpacking {
  Unpacking() { ready = inflateInit2(&stream, kGzipOnly) == Z_OK; }
  ~Unpacking() {
    if (ready) inflateEnd(&stream);
  }
  Unpacking(const Unpacking&) = delete;
  Unpacking& operator=(const Unpacking&) = delete;

  z_stream stream{};
  bool ready = false;
  bool between = false;  ///< whether a gzip member has ended and another one may begin
};

LogInput::LogInput(InputFile file) noexcept : file_(std::move(file)) {}
LogInput::LogInput(LogInput&& other) noexcept = default;
LogInput& LogInput::operator=(LogInput&& other) noexcept = default;
LogInput::~LogInput() = default;

Result<LogInput, std::string> LogInput::open(const std::string& file) {
  auto opened =
      file == "-" ? Result<InputFile, FileTrouble>(InputFile::standard_input()) : InputFile::open(file, Pipes::read);
  if (opened.has_error() && opened.error().kind == FileTrouble::Kind::directory)
    return file + " is a directory: name the log files in it";
  if (opened.has_error()) return file + " cannot be read: " + opened.error().text();
  LogInput out(std::move(*opened));
  const auto& about = out.file_.about();
  out.regular_ = S_ISREG(about.st_mode) && file != "-";
  if (S_ISREG(about.st_mode)) out.bytes_in_all_ = static_cast<std::uint64_t>(about.st_size);
  out.identity_ = {about.st_dev, about.st_ino};
  return out;
}

std::size_t LogInput::read_plain(char* out, std::size_t size) {
  const auto got = file_.read(out, size);
  if (got.has_error()) {
    failure_ = "it cannot be read further: " + got.error().text();
    return 0;
  }
  bytes_read_ += *got;
  return *got;
}

bool LogInput::fill() {
  ahead_.resize(kAhead);
  ahead_at_ = 0;
  ahead_.resize(read_plain(ahead_.data(), ahead_.size()));
  return !ahead_.empty();
}

std::size_t LogInput::read(char* out, std::size_t size) {
  if (!begun_) {
    begun_ = true;
    if (!fill()) return 0;
    while (ahead_.size() < kMagic) {  // in a loop, because a pipe may return the bytes one by one
      std::array<char, kMagic> more{};
      const auto got = read_plain(more.data(), kMagic - ahead_.size());
      if (got == 0) break;
      ahead_.append(more.data(), got);
    }
    for (const auto& other : kOthers)
      if (ahead_.starts_with(other.magic)) {
        failure_ = std::string("it ") + other.why;
        ahead_.clear();
        return 0;
      }
    if (ahead_.starts_with(kGzip)) unpacking_ = std::make_unique<Unpacking>();
  }
  if (unpacking_) return unpack(out, size);
  if (ahead_at_ == ahead_.size()) return failure_.empty() ? read_plain(out, size) : 0;
  const auto taken = std::min(size, ahead_.size() - ahead_at_);
  std::memcpy(out, ahead_.data() + ahead_at_, taken);
  ahead_at_ += taken;
  return taken;
}

std::size_t LogInput::unpack(char* out, std::size_t size) {
  auto& stream = unpacking_->stream;
  stream.next_out = reinterpret_cast<Bytef*>(out);
  stream.avail_out = static_cast<uInt>(size);
  while (stream.avail_out == size && failure_.empty()) {
    if (ahead_at_ == ahead_.size() && !fill()) {
      if (failure_.empty() && !unpacking_->between) failure_ = "its compressed data is cut off";
      break;
    }
    if (std::exchange(unpacking_->between, false)) {
      // Zeros after the last member are ignored, as gzip does: they pad the blocks of tapes.
      while (ahead_at_ < ahead_.size() && ahead_[ahead_at_] == '\0') ++ahead_at_;
      if (ahead_at_ == ahead_.size()) {
        unpacking_->between = true;
        continue;
      }
      inflateReset(&stream);
    }
    stream.next_in = reinterpret_cast<Bytef*>(ahead_.data() + ahead_at_);
    stream.avail_in = static_cast<uInt>(ahead_.size() - ahead_at_);
    const auto result = unpacking_->ready ? inflate(&stream, Z_NO_FLUSH) : Z_MEM_ERROR;
    ahead_at_ = ahead_.size() - stream.avail_in;
    if (result == Z_STREAM_END)
      unpacking_->between = true;
    else if (result != Z_OK && result != Z_BUF_ERROR)
      failure_ = "its compressed data is damaged";
  }
  return size - stream.avail_out;
}

}  // namespace headgate::access_logs
